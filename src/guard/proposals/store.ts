import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { parseJson } from '../../api/text/json.ts';
import { replaceFile } from '../secrets-file.ts';
import { isProposalId } from './proposal.ts';

/**
 * What is kept under an ID. sign-in: of a person on the page · taken: when a server took it, the proposal, what became of it
 * In the order in which they are removed: the last is the one without which a proposal could be sent again.
 */
const parts = ['sign-in', 'proposal', 'decision', 'taken'] as const;
type Part = (typeof parts)[number];

export type ProposalFiles = ReturnType<typeof proposalFiles>;

/**
 * Where servers and approvers meet: the files of one directory. Servers that share trackers must share it, or each would send
 * what is agreed to. Nothing that is read is believed before it is checked: others may write there.
 */
export function proposalFiles(directory: string) {
  const pathOf = (id: string, part: Part) => join(directory, `${id}.${part}.json`);
  return {
    /** Keeps a part; a reader meanwhile finds all of it or nothing. */
    write: async (id: string, part: Part, content: object): Promise<void> => {
      await using(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await replaceFile(pathOf(id, part), textOf(content));
      });
    },
    /** @returns what is kept, null if that is no JSON; undefined if nothing is */
    read: async (id: string, part: Part): Promise<unknown> => {
      const text = await readFile(pathOf(id, part), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : (parseJson(text) ?? null);
    },
    ids: async (part: Part): Promise<ReadonlySet<string>> => {
      const names = (await using(() => readdir(directory), 'ENOENT')) ?? [];
      const end = `.${part}.json`;
      const ids = names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
      return new Set(ids.filter(isProposalId));
    },
    /** Moves a proposal to `taken`, with the content beside it; returns whether this is the first to take it, in any process. */
    take: async (id: string, content: object): Promise<boolean> => {
      const take = async () => {
        const proposal = parseJson(await readFile(pathOf(id, 'proposal'), 'utf8'));
        const text = textOf({ ...content, proposal });
        await writeFile(pathOf(id, 'taken'), text, { flag: 'wx', mode: 0o600, flush: true });
        await rm(pathOf(id, 'proposal'), { force: true });
        return true;
      };
      return (await using(take, 'ENOENT', 'EEXIST')) ?? false;
    },
    remove: async (id: string): Promise<void> => {
      for (const part of parts) await rm(pathOf(id, part), { force: true });
    },
  };

  /** @returns undefined after an error of these codes; any other is a Failure */
  async function using<Result>(use: () => Promise<Result>, ...codes: readonly string[]): Promise<Result | undefined> {
    try {
      return await use();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (codes.includes(code)) return undefined;
      throw new Failure(
        `The directory of proposals ${directory} cannot be used (${code}), so nothing was sent.`,
        'The person who runs this server has to mend TRACKER_PROPOSALS; reading works.',
      );
    }
  }
}

function textOf(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
