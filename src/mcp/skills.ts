import type { McpServer, ReadResourceResult, Resource, ServerContext } from '@modelcontextprotocol/server';
import { type SkillSource, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { Trackers } from '../tools/trackers.ts';
import { type Prompt, promptsFor } from './prompts.ts';

/** Below the name of the server, because other servers of a client may have skills of the same names. */
const folder = 'tracker-mcp';

export interface Skills {
  /** Serves the methods of the extension and declares it; first of all, because it sets handlers of resources that are replaced. */
  readonly attach: (server: McpServer) => void;
  /** The texts as resources, for clients that do not know the extension. */
  readonly list: (request: ServerContext) => readonly Resource[];
  /** Undefined if the address is not a skill's. */
  readonly read: (uri: string, request: ServerContext) => Promise<ReadResourceResult | undefined>;
}

/** The prompts as skills (SEP-2640): a person picks a prompt, and an agent finds a skill by itself. */
export function createSkills(
  trackersOf: (request: ServerContext) => Trackers,
  cacheHint: { readonly ttlMs: number; readonly cacheScope: 'private' },
): Skills {
  const skillsFor = (request: ServerContext) => promptsFor(trackersOf(request)).map(skillOf);
  const find = (uri: string, request: ServerContext) => skillsFor(request).find((skill) => skill.uri === uri);
  const source: SkillSource = {
    list: async (_, request) => ({ skills: await Promise.all(skillsFor(request).map(entryOf)) }),
    get: async (uri, request) => {
      const skill = find(uri, request);
      return skill && entryOf(skill);
    },
    read: async (uri, request) => find(uri, request),
  };
  const extension = new SkillsExtension({ source, cacheHint });
  return {
    attach: (server) => extension.attach(server),
    list: (request) =>
      skillsFor(request).map(({ text, ...resource }) => ({ ...resource, size: Buffer.byteLength(text) })),
    read: async (uri, request) => {
      const skill = find(uri, request);
      return skill && { contents: [{ uri, mimeType: skill.mimeType, text: skill.text }] };
    },
  };
}

type Skill = ReturnType<typeof skillOf>;

function skillOf({ name, title, description: about, arguments: taken, ask }: Prompt) {
  const description = `${about}. For questions such as: ${title}`;
  const places = taken.map((argument) => [argument.name, `{${argument.name}}`] as const);
  const filling = taken.map((argument) => `- {${argument.name}}: ${argument.description}.`);
  // The text of the prompt, with a name in braces for each argument.
  const text = [
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---`,
    `# ${title}`,
    ...(filling.length === 0 ? [] : [`Take from the conversation, or ask for:\n\n${filling.join('\n')}`]),
    `${ask(Object.fromEntries(places))}\n`,
  ].join('\n\n');
  return { uri: `skill://${folder}/${name}/SKILL.md`, name, description, mimeType: 'text/markdown', text };
}

const entryOf = ({ name, text }: Skill) => skillEntry(`${folder}/${name}`, { 'SKILL.md': text });
