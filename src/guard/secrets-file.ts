import { dirname } from 'node:path';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { parseJson } from '../api/text/json.ts';
import { FileProblem, findFile, isMissing, modeOf, whyNot } from '../files/at-path.ts';
import { readText } from '../files/read-file.ts';
import { makeFolder, replaceFile } from '../files/write-file.ts';

export interface SecretsKind<Entry> {
  /** The key of the list in the file, such as `tokens`; messages use it too. */
  readonly list: string;
  /** One entry in words, before its name: `token of`. */
  readonly one: string;
  readonly entry: z.ZodType<Entry>;
  /** What write access to the file would allow. */
  readonly danger: string;
  /** How to create the file. Absent: a missing file counts as empty. */
  readonly ifMissing?: string;
}

/** A file of named hashes or keys that check secrets. It is read again when it changes, so that a removed entry stops working. */
export class SecretsFile<Entry extends { readonly name: string }> {
  readonly path: string;
  readonly #kind: SecretsKind<Entry>;
  #version: string | undefined;
  #entries: readonly Entry[] = [];

  constructor(path: string, kind: SecretsKind<Entry>) {
    this.path = path;
    this.#kind = kind;
  }

  /** @throws Failure if the file cannot be read, is invalid, or can be written by others */
  async all(): Promise<readonly Entry[]> {
    const { about } = await findFile(this.path).catch((error: unknown) => this.#refuse(error));
    if (!about && this.#kind.ifMissing === undefined) return [];
    const version = about && `${about.ino} ${about.mtimeNs} ${about.ctimeNs} ${about.size}`;
    if (version !== undefined && version === this.#version) return this.#entries;
    this.#version = undefined;
    this.#entries = this.#parse(await readText(this.path, { isKept: true }).catch((error) => this.#refuse(error)));
    this.#version = version;
    return this.#entries;
  }

  /** A warning if others can read the file; undefined if they cannot, or the system does not tell. */
  async warning(): Promise<string | undefined> {
    const found = await findFile(this.path).catch(() => undefined);
    if ((modeOf(found?.about) & 0o044) === 0) return undefined;
    return `The file of ${this.#kind.list} ${this.path} can be read by others, who see names and limits: chmod 600 it.`;
  }

  /** Adds an entry, and creates the file if it is missing. Throws a Failure if the name is taken or the entry is invalid. */
  protected async append(given: Entry): Promise<void> {
    const { about } = await findFile(this.path).catch((error: unknown) => this.#refuse(error));
    const entries = about ? await this.all() : [];
    const made = this.#kind.entry.safeParse(given);
    const [issue] = made.error?.issues ?? [];
    if (!made.success) throw new Failure(`The ${issue?.path.join('.')} ${issue?.message}.`);
    if (entries.some(({ name }) => name === given.name)) {
      const problem = `The file already lists the ${this.#kind.one} ${given.name}.`;
      throw new Failure(problem, 'Remove it first, or choose a different name.');
    }
    await this.#write([...entries, made.data]);
  }

  /** @throws Failure if no entry has that name */
  async remove(name: string): Promise<void> {
    const entries = await this.all();
    const left = entries.filter((other) => other.name !== name);
    if (left.length === entries.length) throw new Failure(`There is no ${this.#kind.one} ${name}.`);
    await this.#write(left);
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    try {
      await makeFolder(dirname(this.path));
      await replaceFile(this.path, `${JSON.stringify({ [this.#kind.list]: entries }, null, 2)}\n`, { isSecret: true });
    } catch (error) {
      throw this.#failure(`cannot be written (${whyNot(error)})`);
    }
  }

  #parse(text: string): readonly Entry[] {
    const { list, entry } = this.#kind;
    const content = parseJson(text);
    if (content === undefined) throw this.#failure('is not JSON');
    const parsed = z.strictObject({ [list]: z.array(entry) }).safeParse(content);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw this.#failure(`is invalid at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`);
    }
    const entries = parsed.data[list] ?? [];
    const names = entries.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw this.#failure(`names ${twice} twice`);
    return entries;
  }

  #refuse(error: unknown): never {
    if (error instanceof FileProblem && error.remedy !== undefined) {
      const who = error.code === 'open-folder' ? 'so anyone' : 'who';
      throw this.#failure(`is not used: ${error.message}, ${who} could ${this.#kind.danger}`, error.remedy);
    }
    throw this.#failure(`cannot be read (${whyNot(error)})`, isMissing(error) ? this.#kind.ifMissing : undefined);
  }

  #failure(problem: string, next?: string): Failure {
    return new Failure(`The file of ${this.#kind.list} ${this.path} ${problem}.`, next);
  }
}
