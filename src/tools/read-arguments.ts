import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { holdsDocument, holdsIds } from '../api/parameters.ts';
import { describeReadings, idsIn, readingsOf } from '../api/text/id-lists.ts';
import { isRecord, parseObject } from '../api/text/json.ts';
import { type Answer, mapAnswer, type Tool, withNotices } from './define-tool.ts';

/**
 * Reads the arguments of a call as hosts send them, before anything looks at them. What the schemas then check is what is compared and
 * written:
 *
 * - HTML entities are decoded, once: `&amp;amp;` is a way to write `&amp;`. Only with a semicolon, because `&copy=2` in a URL is none.
 * - null is left out where an argument is optional, and so is an empty text, list or object unless the schema takes one.
 * - A list or an object may come as JSON text, or as Python writes it, and a list as its only item. A list of IDs may come as one text.
 * - What hosts add to a call is dropped.
 *
 * Everything else stays as it is, for the schemas to refuse.
 *
 * @throws Failure if a list of IDs has a comma inside a number
 */
export async function readArguments(tool: Pick<Tool, 'name' | 'input'>, given: unknown): Promise<ReadArguments> {
  let hasEntities = false;
  const plain = readWith(tool, given, (text) => {
    hasEntities ||= /&#?\w+;/.test(text);
    return text;
  });
  if (!hasEntities) return { given: plain, isDecoded: false };
  const { decodeHTMLStrict } = await import('entities/decode');
  let isDecoded = false;
  const decoded = readWith(tool, given, (text) => {
    const characters = decodeHTMLStrict(text);
    isDecoded ||= characters !== text;
    return characters;
  });
  return { given: decoded, isDecoded };
}

/** The same for arguments inside those of a call, which were decoded with them. */
export function readInner(tool: Pick<Tool, 'name' | 'input'>, given: unknown): unknown {
  return readWith(tool, given, (text) => text);
}

interface ReadArguments {
  readonly given: unknown;
  /** Whether an entity was decoded. */
  readonly isDecoded: boolean;
}

/** The tool, whose answers say that entities were decoded: a tracker may have text that itself holds one. */
export function sayingDecoded(tool: Tool): Tool {
  if (tool.access !== 'read') return tool;
  const say = (answer: Answer) =>
    mapAnswer(answer, (result) => withNotices(result, { after: [{ code: 'entities-decoded' }] }));
  const { call, callForAll } = tool;
  return {
    ...tool,
    call: async (given, context) => say(await call(given, context)),
    callForAll: callForAll && (async (given, contexts) => say(await callForAll(given, contexts))),
  };
}

type Decode = (text: string) => string;

/** Keys that hosts are known to add: n8n, Gemini CLI, CrewAI, OpenHands, and those that want an argument in each call. */
const hostKeys: ReadonlySet<string> = new Set([
  ...['toolCallId', 'sessionId', 'action', 'chatInput', 'tool'],
  ...['wait_for_previous', 'security_context', 'security_risk', 'random_string', '_meta'],
]);

function readWith({ name, input }: Pick<Tool, 'name' | 'input'>, given: unknown, decode: Decode): unknown {
  if (!isRecord(given)) return given ?? {};
  const { shape } = input();
  const own = Object.entries(given).filter(([key]) => Object.hasOwn(shape, key) || !hostKeys.has(key));
  return readFields(shape, Object.fromEntries(own), { tool: name, argument: '', decode });
}

interface Reading {
  readonly tool: string;
  readonly argument: string;
  readonly decode: Decode;
}

/** What a schema takes. It is found once for each, because asking the schema takes longer than reading a value. */
type Form =
  | { readonly takes: 'optional'; readonly inner: z.core.$ZodType; readonly takesEmpty: boolean }
  | { readonly takes: 'list'; readonly list: z.ZodArray }
  | { readonly takes: 'fields'; readonly shape: Readonly<Record<string, z.core.$ZodType>> }
  | { readonly takes: 'object' | 'document' | 'value' };

const forms = new WeakMap<z.core.$ZodType, Form>();

function formOf(schema: z.core.$ZodType): Form {
  const known = forms.get(schema);
  if (known) return known;
  const form = findForm(schema);
  forms.set(schema, form);
  return form;
}

function findForm(schema: z.core.$ZodType): Form {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return { takes: 'optional', inner: schema.def.innerType, takesEmpty: schema.safeParse('').success };
  if (schema instanceof z.ZodPipe) return formOf(schema.def.out);
  if (schema instanceof z.ZodArray) return { takes: 'list', list: schema };
  if (schema instanceof z.ZodObject) return { takes: 'fields', shape: schema.shape };
  if (z.globalRegistry.get(schema)?.['type'] === 'object') return { takes: 'object' };
  return { takes: holdsDocument.has(schema) ? 'document' : 'value' };
}

/** Whether the value of an optional argument is none: null, or an empty text, list or object that its schema does not take. */
function isNone(given: unknown, { inner, takesEmpty }: Extract<Form, { takes: 'optional' }>): boolean {
  if (given === null) return true;
  if (given === '') return !takesEmpty;
  const { takes } = formOf(inner);
  if (takes === 'value' || takes === 'document') return false;
  if (typeof given === 'string' && !emptyJson.test(given)) return false;
  const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
  if (value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0 && !z.safeParse(inner, value).success;
}

const emptyJson = /^\s*(?:\[\s*\]|\{\s*\}|null)\s*$/;

function readValue(schema: z.core.$ZodType | undefined, given: unknown, reading: Reading): unknown {
  const form = schema && formOf(schema);
  switch (form?.takes) {
    case 'optional':
      if (isNone(given, form)) return undefined;
      return readValue(form.inner, given, reading);
    case 'list':
      return readList(form.list, given, reading);
    case 'fields':
    case 'object': {
      const { value, ...inner } = fromJson(given, reading);
      return form.takes === 'fields' && isRecord(value)
        ? readFields(form.shape, value, inner)
        : decodeAll(value, inner.decode);
    }
    case 'document':
      // With quotation marks or tags of its own it was not encoded by a host: its entities are a part of it.
      return typeof given === 'string' && /["<]/.test(given) ? given : decodeAll(given, reading.decode);
    default:
      return decodeAll(given, reading.decode);
  }
}

function readFields(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  given: Readonly<Record<string, unknown>>,
  reading: Reading,
): Record<string, unknown> {
  const read: [string, unknown][] = [];
  for (const [name, field] of Object.entries(given)) {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const value = readValue(schema, field, { ...reading, argument: reading.argument || name });
    if (value !== undefined) read.push([name, value]);
  }
  return Object.fromEntries(read);
}

function readList(schema: z.ZodArray, given: unknown, reading: Reading): unknown {
  const { value, ...inner } = fromJson(given, reading);
  const items = wordsIn(value, schema.element) ?? listOf(value, takesObject(schema.element));
  if (items === undefined) return decodeAll(value, inner.decode);
  const read = items.map((item) => readValue(schema.element, item, inner));
  if (!holdsIds.has(schema)) return read;
  refuseThousands(read, reading);
  return typeof value === 'string' ? (idsIn(value) ?? read) : read;
}

/** The words of a text such as `offer, campaign` or `['offer']`, if a list takes each of them; undefined for any other value. */
function wordsIn(value: unknown, element: z.core.$ZodType): readonly string[] | undefined {
  if (typeof value !== 'string' || !(element instanceof z.ZodEnum)) return undefined;
  const words = value
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((word) => word.trim().replace(/^(['"])(.*)\1$/, '$2'));
  return words.every((word) => element.options.includes(word)) ? words : undefined;
}

/** A list, or its only item; undefined if the value is none of them. */
function listOf(value: unknown, isOfObjects: boolean): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const isItem = isOfObjects ? isRecord(value) : ['string', 'number', 'boolean'].includes(typeof value);
  return isItem && value !== '' ? [value] : undefined;
}

/** `82,292` is a number to a person and two IDs to a program, and one of these may be a stranger. */
function refuseThousands(ids: readonly unknown[], { tool, argument }: Reading): void {
  const [readings] = ids.flatMap((id) => (typeof id === 'string' ? (readingsOf(id) ?? []) : []));
  if (!readings) return;
  const problem = `${argument} has a comma inside a number: ${describeReadings(readings)}.`;
  throw new Failure(
    `${tool} was not called: ${problem}`,
    `Write ${readings.number}, or each ID as an item of its own: ${JSON.stringify(readings.ids.slice(0, 3))}.`,
  );
}

/** The object or list of a JSON text. If its quotation marks were entities, those inside it were decoded with them. */
function fromJson(value: unknown, reading: Reading): Reading & { readonly value: unknown } {
  if (typeof value !== 'string') return { ...reading, value };
  const parsed = parseObject(value) ?? parseObject(fromPython(value));
  if (parsed !== undefined) return { ...reading, value: parsed };
  const decoded = parseObject(reading.decode(value));
  return decoded === undefined ? { ...reading, value } : { ...reading, value: decoded, decode: (text) => text };
}

/** A list of Python in JSON: its texts have single quotation marks. */
const fromPython = (text: string): string => (/^\s*\[[^"\\]*\]\s*$/.test(text) ? text.replaceAll("'", '"') : '');

function decodeAll(value: unknown, decode: Decode): unknown {
  if (typeof value === 'string') return decode(value);
  if (Array.isArray(value)) return value.map((item) => decodeAll(item, decode));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [decode(name), decodeAll(field, decode)]));
}

function takesObject(schema: z.core.$ZodType): boolean {
  const { takes } = formOf(schema);
  return takes === 'fields' || takes === 'object';
}
