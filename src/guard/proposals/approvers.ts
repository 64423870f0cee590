import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { personName } from '../limits.ts';
import { replaceFile } from '../replace-file.ts';
import { keyFrom, publicKeyOf, Signer } from './decision.ts';
import { readPlainLetters, toPlainLetters } from './plain-letters.ts';

/** An approver as the file keeps them: it checks what they decided, and can decide nothing. */
const approver = z.strictObject({
  name: personName,
  salt: z.string().min(16),
  public_key: z.string().regex(/^[\w-]{43}$/),
  created: z.string(),
});
const file = z.strictObject({ approvers: z.array(approver) });

export type Approver = z.infer<typeof approver>;

/** The people who may decide, in a file that is read again each time it is asked: who was removed decides nothing. */
export class Approvers {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Those there are; none where there is no file.
   *
   * @throws Failure where the file cannot be trusted or read
   */
  async all(): Promise<readonly Approver[]> {
    const about = await stat(this.#path).catch(() => undefined);
    if (!about) return [];
    if (process.platform !== 'win32' && (about.mode & 0o022) !== 0) {
      throw new Failure(
        `The file of approvers ${this.#path} can be written by others, who could approve anything.`,
        'chmod go-w mends it.',
      );
    }
    let content: unknown;
    try {
      content = JSON.parse(await readFile(this.#path, 'utf8'));
    } catch {
      throw new Failure(`The file of approvers ${this.#path} cannot be read as JSON.`);
    }
    const parsed = file.safeParse(content);
    if (parsed.success) return parsed.data.approvers;
    const [issue] = parsed.error.issues;
    throw new Failure(
      `The file of approvers ${this.#path} is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}.`,
    );
  }

  /** Who has this secret, able to decide; undefined where nobody has. */
  async signIn(typed: string): Promise<Signer | undefined> {
    const secret = readPlainLetters(typed);
    for (const { name, salt, public_key } of await this.all()) {
      const key = keyFrom(secret, salt);
      if (publicKeyOf(key) === public_key) return new Signer(name, key);
    }
    return undefined;
  }

  /**
   * Adds an approver to the file, which is made where it is not there.
   *
   * @returns the secret, which nobody can read again
   * @throws Failure where the name is taken or no name
   */
  async add(name: string): Promise<string> {
    const approvers = await this.all();
    if (approvers.some((other) => other.name === name)) {
      throw new Failure(`There is an approver ${name} already.`, 'Remove them first, or choose another name.');
    }
    const secret = toPlainLetters(randomBytes(secretBytes));
    const salt = randomBytes(16).toString('base64url');
    const made = approver.safeParse({
      ...{ name, salt, public_key: publicKeyOf(keyFrom(secret, salt)) },
      created: new Date().toISOString(),
    });
    if (!made.success)
      throw new Failure(`The ${made.error.issues[0]?.path.join('.')} ${made.error.issues[0]?.message}.`);
    await this.#write([...approvers, made.data]);
    return (secret.match(/.{4}/g) ?? []).join('-');
  }

  /** @throws Failure where there is no approver of that name */
  async remove(name: string): Promise<void> {
    const approvers = await this.all();
    const left = approvers.filter((other) => other.name !== name);
    if (left.length === approvers.length) throw new Failure(`There is no approver ${name}.`);
    await this.#write(left);
  }

  async #write(approvers: readonly Approver[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await replaceFile(this.#path, `${JSON.stringify({ approvers }, null, 2)}\n`);
  }
}

/** 160 bits: 32 letters, which a password manager keeps and a person can type. */
const secretBytes = 20;
