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

/**
 * Where servers and approvers meet: the files of one directory. Servers that share trackers must share it, or each would send
 * what is agreed to. Nothing that is read is believed before it is checked: others may write there.
 */
export class ProposalFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps a part; a reader meanwhile finds all of it or nothing. */
  async write(id: string, part: Part, content: object): Promise<void> {
    await this.#using(async () => {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await replaceFile(this.#path(id, part), textOf(content));
    });
  }

  /** @returns what is kept, null if that is no JSON; undefined if nothing is */
  async read(id: string, part: Part): Promise<unknown> {
    const text = await readFile(this.#path(id, part), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (parseJson(text) ?? null);
  }

  async ids(part: Part): Promise<ReadonlySet<string>> {
    const names = (await this.#using(() => readdir(this.#directory), 'ENOENT')) ?? [];
    const end = `.${part}.json`;
    const ids = names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
    return new Set(ids.filter(isProposalId));
  }

  /** Moves a proposal to `taken`, with the content beside it; returns whether this is the first to take it, in any process. */
  async take(id: string, content: object): Promise<boolean> {
    const take = async () => {
      const proposal = parseJson(await readFile(this.#path(id, 'proposal'), 'utf8'));
      const text = textOf({ ...content, proposal });
      await writeFile(this.#path(id, 'taken'), text, { flag: 'wx', mode: 0o600, flush: true });
      await rm(this.#path(id, 'proposal'), { force: true });
      return true;
    };
    return (await this.#using(take, 'ENOENT', 'EEXIST')) ?? false;
  }

  async remove(id: string): Promise<void> {
    for (const part of parts) await rm(this.#path(id, part), { force: true });
  }

  #path(id: string, part: Part): string {
    return join(this.#directory, `${id}.${part}.json`);
  }

  /** @returns undefined after an error of these codes; any other is a Failure */
  async #using<Result>(use: () => Promise<Result>, ...codes: readonly string[]): Promise<Result | undefined> {
    try {
      return await use();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (codes.includes(code)) return undefined;
      throw new Failure(
        `The directory of proposals ${this.#directory} cannot be used (${code}), so nothing was sent.`,
        'The person who runs this server has to mend TRACKER_PROPOSALS; reading works.',
      );
    }
  }
}

function textOf(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
