import type { McpServer, ReadResourceResult, ServerContext } from '@modelcontextprotocol/server';
import { type SkillSource, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { Trackers } from '../tools/trackers.ts';
import { type Prompt, promptsFor } from './prompts.ts';

/** Below the name of the server, because other servers of a client may have skills of the same names. */
const folder = 'tracker-mcp';

export interface Skills {
  /** Serves the methods of the extension and declares it; first of all, because it sets handlers of resources that are replaced. */
  readonly attach: (server: McpServer) => void;
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
    read: async (uri, request) => {
      const skill = find(uri, request);
      return skill && { contents: [{ uri, mimeType: skill.mimeType, text: skill.text }] };
    },
  };
}

type Skill = ReturnType<typeof skillOf>;

function skillOf(prompt: Prompt) {
  const { name } = prompt;
  return { name, uri: `skill://${folder}/${name}/SKILL.md`, mimeType: 'text/markdown', text: skillText(prompt) };
}

const entryOf = ({ name, text }: Skill) => skillEntry(`${folder}/${name}`, { 'SKILL.md': text });

/** The text of a prompt, with a name in braces for each argument. */
function skillText({ name, title, description, arguments: taken, ask }: Prompt): string {
  const about = `${description}. For questions such as: ${title}`;
  const places = taken.map((argument) => [argument.name, `{${argument.name}}`] as const);
  const filling = taken.map((argument) => `- {${argument.name}}: ${argument.description}.`);
  return [
    `---\nname: ${name}\ndescription: ${JSON.stringify(about)}\n---`,
    `# ${title}`,
    ...(filling.length === 0 ? [] : [`Take from the conversation, or ask for:\n\n${filling.join('\n')}`]),
    `${ask(Object.fromEntries(places))}\n`,
  ].join('\n\n');
}
