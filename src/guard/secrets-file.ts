import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';

/** What a file of secrets contains. */
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
  #version = '';
  #entries: readonly Entry[] = [];

  constructor(path: string, kind: SecretsKind<Entry>) {
    this.path = path;
    this.#kind = kind;
  }

  /** @throws Failure if the file cannot be read, is invalid, or can be written by others */
  async all(): Promise<readonly Entry[]> {
    const unreadable = (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && this.#kind.ifMissing === undefined) return undefined;
      throw this.#failure(`cannot be read (${error.code})`, this.#kind.ifMissing);
    };
    const about = await stat(this.path, { bigint: true }).catch(unreadable);
    if (!about) return [];
    const version = `${about.ino} ${about.mtimeNs} ${about.ctimeNs} ${about.size}`;
    if (version === this.#version) return this.#entries;
    this.#version = '';
    await this.#refuseIfOthersCanWrite(Number(about.mode));
    this.#entries = this.#parse((await readFile(this.path, 'utf8').catch(unreadable)) ?? '');
    this.#version = version;
    return this.#entries;
  }

  /** A warning if others can read the file; undefined if they cannot, or the system does not tell. */
  async warning(): Promise<string | undefined> {
    const mode = hasModes ? ((await stat(this.path).catch(() => undefined))?.mode ?? 0) : 0;
    if ((mode & 0o044) === 0) return undefined;
    return `The file of ${this.#kind.list} ${this.path} can be read by others, who see names and limits: chmod 600 it.`;
  }

  /** Adds an entry, and creates the file if it is missing. Throws a Failure if the name is taken or the entry is invalid. */
  protected async append(given: Entry): Promise<void> {
    const exists = (await stat(this.path).catch(() => undefined)) !== undefined;
    const entries = exists ? await this.all() : [];
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
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await replaceFile(this.path, `${JSON.stringify({ [this.#kind.list]: entries }, null, 2)}\n`);
  }

  #parse(text: string): readonly Entry[] {
    const { list, entry } = this.#kind;
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch {
      throw this.#failure('is not JSON');
    }
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

  /** In a folder that everyone can write to, anyone can replace the file, unless the sticky bit is set, as for /tmp. */
  async #refuseIfOthersCanWrite(mode: number): Promise<void> {
    if (!hasModes) return;
    if ((mode & 0o022) !== 0) {
      throw this.#failure(`can be written by others, who could ${this.#kind.danger}`, 'chmod go-w fixes it.');
    }
    const folder = dirname(resolve(this.path));
    const { mode: open } = await stat(folder);
    if ((open & 0o002) === 0 || (open & 0o1000) !== 0) return;
    throw this.#failure(
      `is in a folder that everyone can write to, so anyone could ${this.#kind.danger}`,
      `chmod o-w ${folder} fixes it.`,
    );
  }

  #failure(problem: string, next?: string): Failure {
    return new Failure(`The file of ${this.#kind.list} ${this.path} ${problem}.`, next);
  }
}

/** Windows has no modes. */
const hasModes = process.platform !== 'win32';

/** Replaces a file atomically. Only its owner can read it unless a mode is given. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(next, text, { mode: 0o600 });
    await chmod(next, mode);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
