import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { personName } from '../limits.ts';
import { SecretsFile } from '../secrets-file.ts';
import { keyFrom, publicKeyOf, Signer } from './decision.ts';
import { readPlainLetters, toPlainLetters } from './proposal.ts';

/** An approver as the file keeps them: it checks what they decided, and can decide nothing. */
const approver = z.strictObject({
  name: personName,
  salt: z.string().min(16),
  public_key: z.string().regex(/^[\w-]{43}$/),
  created: z.string(),
});

export type Approver = z.infer<typeof approver>;

/** 160 bits: 32 letters, which a password manager keeps and a person can type. */
const secretBytes = 20;

/** The people who may decide. A person who was removed decides nothing more, and what they approved is approved no more. */
export class Approvers {
  readonly #file: SecretsFile<Approver>;

  constructor(path: string) {
    this.#file = new SecretsFile(path, {
      ...{ list: 'approvers', one: 'approver', entry: approver },
      danger: 'approve anything',
    });
  }

  /**
   * Those there are; none if there is no file.
   *
   * @throws Failure if the file cannot be trusted or read
   */
  all(): Promise<readonly Approver[]> {
    return this.#file.all();
  }

  /** Who has this secret, able to decide; undefined if nobody has. */
  async signIn(typed: string): Promise<Signer | undefined> {
    const secret = readPlainLetters(typed);
    for (const { name, salt, public_key } of await this.all()) {
      const key = keyFrom(secret, salt);
      if (publicKeyOf(key) === public_key) return new Signer(name, key);
    }
    return undefined;
  }

  /**
   * Adds an approver to the file, which is made if it is not there.
   *
   * @returns the secret, which nobody can read again
   * @throws Failure if the name is taken or cannot be one
   */
  async add(name: string): Promise<string> {
    const secret = toPlainLetters(randomBytes(secretBytes));
    const salt = randomBytes(16).toString('base64url');
    const public_key = publicKeyOf(keyFrom(secret, salt));
    await this.#file.add({ name, salt, public_key, created: new Date().toISOString() });
    return (secret.match(/.{4}/g) ?? []).join('-');
  }

  /** @throws Failure if there is no approver of that name */
  remove(name: string): Promise<void> {
    return this.#file.remove(name);
  }
}
