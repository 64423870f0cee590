import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/server';
import { isRecord, type JsonRecord, ownValue } from '../api/text/json.ts';

/**
 * What the parts of requests must be. The SDK refuses the same with the issues of its schemas, which say nothing to a model. Its schemas
 * cannot be asked beforehand: to make them all would double the time that the start takes. A test compares them with this table.
 */

const isText = (value: unknown) => typeof value === 'string';
const oneOf = (...values: readonly string[]) => {
  const words = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return { words, isRight: (value: unknown) => values.includes(String(value)), isChoice: true };
};

interface OneKind {
  readonly words: string;
  readonly isRight: (value: unknown) => boolean;
  /** Whether the words are all that may stand there. */
  readonly isChoice?: boolean;
}

/** The kinds of parts, with the words for them. */
const kinds = {
  text: { words: 'text', isRight: isText },
  number: { words: 'a number', isRight: (value: unknown) => typeof value === 'number' },
  flag: { words: 'true or false', isRight: (value: unknown) => typeof value === 'boolean' },
  object: { words: 'an object', isRight: isRecord },
  list: { words: 'a list', isRight: Array.isArray },
  token: { words: 'text or a whole number', isRight: (value: unknown) => isText(value) || Number.isInteger(value) },
  reference: oneOf('ref/prompt', 'ref/resource'),
  theme: oneOf('light', 'dark'),
  level: oneOf('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'),
} satisfies Readonly<Record<string, OneKind>>;

/** A part with a question mark may be left out. */
type Kind = keyof typeof kinds | `${keyof typeof kinds}?`;

/** The kind of each part, by its path with spaces; `*` is each item. Where a part is left out, what is inside it is not needed. */
type Parts = Readonly<Record<string, Kind>>;

const inside = (name: string, parts: Parts): Parts =>
  Object.fromEntries(Object.entries(parts).map(([path, kind]) => [`${name} ${path}`, kind]));

const implementation: Parts = {
  ...{ name: 'text', version: 'text', title: 'text?', websiteUrl: 'text?', description: 'text?' },
  ...{ icons: 'list?', 'icons *': 'object', 'icons * src': 'text', 'icons * mimeType': 'text?' },
  ...{ 'icons * sizes': 'list?', 'icons * sizes *': 'text', 'icons * theme': 'theme?' },
};

const capabilities: Parts = {
  ...{ experimental: 'object?', 'experimental *': 'object', extensions: 'object?', 'extensions *': 'object' },
  ...{ sampling: 'object?', 'sampling context': 'object?', 'sampling tools': 'object?' },
  ...{ elicitation: 'object?', 'elicitation url': 'object?' },
  ...{ 'elicitation form': 'object?', 'elicitation form applyDefaults': 'flag?' },
  ...{ roots: 'object?', 'roots listChanged': 'flag?' },
  ...{ tasks: 'object?', 'tasks list': 'object?', 'tasks cancel': 'object?', 'tasks requests': 'object?' },
  ...{ 'tasks requests sampling': 'object?', 'tasks requests sampling createMessage': 'object?' },
  ...{ 'tasks requests elicitation': 'object?', 'tasks requests elicitation create': 'object?' },
};

const all: Parts = {
  ...{ _meta: 'object?', '_meta progressToken': 'token?' },
  [`_meta ${RELATED_TASK_META_KEY}`]: 'object?',
  [`_meta ${RELATED_TASK_META_KEY} taskId`]: 'text',
};

/** What newer clients say of themselves in each request. */
const ofNewer: Parts = inside('_meta', {
  [PROTOCOL_VERSION_META_KEY]: 'text',
  [CLIENT_INFO_META_KEY]: 'object?',
  ...inside(CLIENT_INFO_META_KEY, implementation),
  [CLIENT_CAPABILITIES_META_KEY]: 'object?',
  ...inside(CLIENT_CAPABILITIES_META_KEY, capabilities),
  [LOG_LEVEL_META_KEY]: 'level?',
});

const ofList: Parts = { cursor: 'text?' };

/** The parts of a request by its method, or by the type of what it refers to. */
const partsOf: Readonly<Record<string, Parts>> = {
  initialize: {
    ...{ protocolVersion: 'text', capabilities: 'object', ...inside('capabilities', capabilities) },
    ...{ clientInfo: 'object', ...inside('clientInfo', implementation) },
  },
  'tools/list': ofList,
  'prompts/list': ofList,
  'resources/list': ofList,
  'resources/templates/list': ofList,
  'tools/call': { name: 'text', arguments: 'object?', task: 'object?', 'task ttl': 'number?', requestState: 'text?' },
  'prompts/get': { name: 'text', arguments: 'object?', 'arguments *': 'text', requestState: 'text?' },
  'resources/read': { uri: 'text', requestState: 'text?' },
  'completion/complete': {
    ...{ ref: 'object', 'ref type': 'reference' },
    ...{ argument: 'object', 'argument name': 'text', 'argument value': 'text' },
    ...{ context: 'object?', 'context arguments': 'object?', 'context arguments *': 'text' },
  },
  'ref/prompt': { 'ref name': 'text' },
  'ref/resource': { 'ref uri': 'text' },
  'subscriptions/listen': {
    ...{ notifications: 'object', 'notifications toolsListChanged': 'flag?' },
    ...{ 'notifications promptsListChanged': 'flag?', 'notifications resourcesListChanged': 'flag?' },
    ...{ 'notifications resourceSubscriptions': 'list?', 'notifications resourceSubscriptions *': 'text' },
  },
};

/** A part, ready to be looked for: each request is checked. */
interface Part {
  readonly path: Place;
  readonly kind: OneKind;
  readonly isOptional: boolean;
}

type Place = readonly string[];

const toList = (parts: Parts): readonly Part[] =>
  Object.entries(parts).map(([path, kind]) => ({
    path: path.split(' '),
    kind: kinds[kind.replace('?', '') as keyof typeof kinds],
    isOptional: kind.endsWith('?'),
  }));

const [ofAll, ofNewerOnes] = [toList(all), toList(ofNewer)];

const listsOf: Readonly<Record<string, readonly Part[]>> = Object.fromEntries(
  Object.entries(partsOf).map(([name, parts]) => [name, toList(parts)]),
);

/** What is wrong with the parameters of a request, without a full stop; undefined if nothing is. */
export function wrongPart({ method, params = {} }: JsonRecord): string | undefined {
  if (!isRecord(params)) return say(['params'], kinds.object, params);
  const { _meta: meta, ref } = params;
  const isNewer = isRecord(meta) && meta[PROTOCOL_VERSION_META_KEY] !== undefined;
  const [ofReference, ofMethod] = [isRecord(ref) ? ref['type'] : undefined, method].map((name) =>
    ownValue(listsOf, String(name)),
  );
  return (
    wrongIn(params, ofAll) ??
    (isNewer ? wrongIn(params, ofNewerOnes) : undefined) ??
    wrongIn(params, ofReference) ??
    wrongIn(params, ofMethod)
  );
}

function wrongIn(params: JsonRecord, parts: readonly Part[] = []): string | undefined {
  for (const part of parts) {
    const wrong = wrongAt(params, part, []);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** What is wrong at a path, from a place on it; nothing is where a part around it is missing. */
function wrongAt(value: unknown, part: Part, place: Place): string | undefined {
  const name = part.path[place.length];
  if (name === undefined) return value === undefined && part.isOptional ? undefined : say(place, part.kind, value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (name !== '*') return wrongAt(ownValue(value as JsonRecord, name), part, [...place, name]);
  for (const [own, one] of Object.entries(value)) {
    const wrong = wrongAt(one, part, [...place, own]);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function say(place: Place, { words, isRight, isChoice = false }: OneKind, value: unknown): string | undefined {
  if (isRight(value)) return undefined;
  return `${place.join('.')} must be ${words}${isChoice ? '' : `, and is ${kindOf(value)}`}`;
}

const kindOf = (value: unknown): string => {
  const found = (['text', 'number', 'flag', 'list'] as const).find((kind) => kinds[kind].isRight(value));
  return value === undefined ? 'missing' : kinds[found ?? 'object'].words;
};
