import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { parseJson } from '../../api/text/json.ts';
import { replaceFile } from '../secrets-file.ts';
import { isProposalId } from './proposal.ts';

/**
 * What is kept under an ID. proposal: what waits · decision: what a person decided · taken: the proposal, once a server took it
 * up to send it · ending: what became of it · sign-in: of a person on the page, under an ID of its own
 */
export const parts = ['proposal', 'decision', 'ending', 'taken', 'sign-in'] as const;
export type Part = (typeof parts)[number];

export interface TakenPart {
  readonly time: string;
  readonly proposal: unknown;
}

/**
 * Where servers and those who decide meet. Servers that share trackers must share this, or each would send what is agreed to.
 * Nothing of what is read is believed before it is checked: others may write there.
 */
export interface ProposalStore {
  /** Keeps a part; a reader meanwhile finds all of it or nothing. */
  write(id: string, part: Exclude<Part, 'taken'>, content: object): Promise<void>;
  /** @returns what is kept, null if that is no JSON; undefined if nothing is */
  read(id: string, part: Part): Promise<unknown>;
  /** The IDs that have a part, each part with its own; asked often. */
  ids(): Promise<Readonly<Record<Part, ReadonlySet<string>>>>;
  /**
   * Moves a proposal to `taken`, as a `TakenPart`: without that part there is no proposal either.
   *
   * @returns whether this is the first to take it, in whatever process; on disk when this returns
   */
  take(id: string, now: Date): Promise<boolean>;
  /** Forgets all parts. */
  remove(id: string): Promise<void>;
}

/** Keeps parts as files of one directory, which needs no server: processes of one machine meet there. */
export class ProposalFiles implements ProposalStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(id: string, part: Part, content: object): Promise<void> {
    await this.#using(async () => {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await replaceFile(this.#path(id, part), `${JSON.stringify(content, null, 2)}\n`);
    });
  }

  async read(id: string, part: Part): Promise<unknown> {
    const text = await readFile(this.#path(id, part), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (parseJson(text) ?? null);
  }

  async ids(): Promise<Readonly<Record<Part, ReadonlySet<string>>>> {
    const names = await this.#using(() => readdir(this.#directory), 'ENOENT');
    const idsOf = (part: Part) => {
      const end = `.${part}.json`;
      const ids = (names ?? []).filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length));
      return new Set(ids.filter(isProposalId));
    };
    return {
      proposal: idsOf('proposal'),
      decision: idsOf('decision'),
      ending: idsOf('ending'),
      taken: idsOf('taken'),
      'sign-in': idsOf('sign-in'),
    };
  }

  async take(id: string, now: Date): Promise<boolean> {
    const isTaken = await this.#using(
      async () => {
        const proposal = parseJson(await readFile(this.#path(id, 'proposal'), 'utf8'));
        const taken: TakenPart = { time: now.toISOString(), proposal };
        const file = await open(this.#path(id, 'taken'), 'wx', 0o600);
        try {
          await file.writeFile(`${JSON.stringify(taken, null, 2)}\n`);
          await file.datasync();
        } finally {
          await file.close();
        }
        await rm(this.#path(id, 'proposal'), { force: true });
        return true;
      },
      'ENOENT',
      'EEXIST',
    );
    return isTaken ?? false;
  }

  async remove(id: string): Promise<void> {
    // The last to go is the one without which a proposal could be sent again.
    for (const part of ['sign-in', 'proposal', 'decision', 'ending', 'taken'] as const) {
      await rm(this.#path(id, part), { force: true });
    }
  }

  #path(id: string, part: Part): string {
    return join(this.#directory, `${id}.${part}.json`);
  }

  /** @returns undefined after an error of these codes; any other is told to the reader */
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
