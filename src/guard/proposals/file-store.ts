import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { replaceFile } from '../replace-file.ts';
import { isProposalId } from './proposal.ts';
import type { ProposalStore, StoredProposal } from './store.ts';

/** The files of one proposal, by what they hold; the last to be removed is the one that a second sending would need. */
const parts = ['proposal', 'decision', 'ending', 'taken'] as const;
type Part = (typeof parts)[number];

/** Keeps proposals as files of one directory, which needs no server: processes of one machine meet there. */
export class ProposalFiles implements ProposalStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async put(id: string, proposal: object): Promise<void> {
    await this.#write(id, 'proposal', proposal);
  }

  async find(id: string): Promise<StoredProposal | undefined> {
    const proposal = await this.#read(id, 'proposal');
    if (proposal === undefined) return undefined;
    const taken = await stat(this.#path(id, 'taken')).catch(() => undefined);
    return {
      proposal,
      decision: await this.#read(id, 'decision'),
      takenAt: taken?.mtime,
      ending: await this.#read(id, 'ending'),
    };
  }

  async list(): Promise<readonly string[]> {
    return this.#idsWith(await this.#names(), 'proposal');
  }

  async decided(): Promise<readonly string[]> {
    const names = await this.#names();
    const taken = new Set(this.#idsWith(names, 'taken'));
    return this.#idsWith(names, 'decision').filter((id) => !taken.has(id));
  }

  async decide(id: string, decision: object): Promise<void> {
    await this.#write(id, 'decision', decision);
  }

  async take(id: string): Promise<boolean> {
    try {
      const file = await open(this.#path(id, 'taken'), 'wx', 0o600);
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw this.#unusable(error);
    }
  }

  async finish(id: string, ending: object): Promise<void> {
    await this.#write(id, 'ending', ending);
  }

  async remove(id: string): Promise<void> {
    for (const part of parts) await rm(this.#path(id, part), { force: true });
  }

  #path(id: string, part: Part): string {
    return join(this.#directory, `${id}.${part}.json`);
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw this.#unusable(error);
    });
  }

  #idsWith(names: readonly string[], part: Part): string[] {
    const end = `.${part}.json`;
    return names.flatMap((name) => {
      const id = name.slice(0, -end.length);
      return name.endsWith(end) && isProposalId(id) ? [id] : [];
    });
  }

  /** What others wrote there may be anything. */
  async #read(id: string, part: Part): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path(id, part), 'utf8'));
    } catch {
      return undefined;
    }
  }

  async #write(id: string, part: Part, content: object): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await replaceFile(this.#path(id, part), `${JSON.stringify(content, null, 2)}\n`);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): Failure {
    return new Failure(
      `The directory of proposals ${this.#directory} cannot be used (${(error as NodeJS.ErrnoException).code}), so nothing was sent.`,
      'The person who runs this server has to mend TRACKER_PROPOSALS; reading works.',
    );
  }
}
