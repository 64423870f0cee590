import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { findFile, whyNot } from '../../files/at-path.ts';
import { makeFolder, removeFile, replaceFile } from '../../files/write-file.ts';
import { type Holder, holderSchema, personName } from '../../guard/holder.ts';
import { SecretsFile } from '../../guard/secrets-file.ts';
import type { TokenProblem, TokenVerifier } from './gate.ts';

/** A token in the file, which stores only its hash. */
const entry = z.strictObject({
  name: personName,
  access: holderSchema.shape.access,
  salt: z.string().min(16),
  hash: z.string().regex(/^[\w-]{43}$/),
  created: z.string().optional(),
  /** If absent, the token never expires; so a time that cannot be read must be an error. */
  expires: z
    .string()
    .refine((time) => !Number.isNaN(Date.parse(time)), 'is not a time')
    .optional(),
  tools: z.array(z.string()).min(1).optional(),
  campaigns: z.array(z.int().min(1)).min(1).optional(),
  max_bid: z.number().min(0).optional(),
  max_payout: z.number().min(0).optional(),
  trackers: z.array(z.string()).min(1).optional(),
});

export type TokenEntry = z.infer<typeof entry>;

/** What a new token may do. */
export type TokenRights = Omit<TokenEntry, 'salt' | 'hash' | 'created'>;

const useIntervalMs = 60_000;

/** 256 random bits need no slow hash. The salt makes the hashes of two files differ. */
function hashOf(token: string, salt: string): string {
  return createHash('sha256').update(`${salt}:${token}`).digest('base64url');
}

/** The bearer tokens in a file, which is read again when it changes: a removed token is rejected at once. */
export class TokenFile extends SecretsFile<TokenEntry> implements TokenVerifier {
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  readonly #usedAtByName = new Map<string, number>();
  #isErrorLogged = false;

  constructor(path: string, log: (line: string) => void = () => undefined, now = Date.now) {
    super(path, {
      list: 'tokens',
      one: 'token of',
      entry,
      danger: 'make a token for themselves',
      ifMissing: 'tracker-mcp token add makes it.',
    });
    this.#log = log;
    this.#now = now;
  }

  /** Checks the file at the start. Throws a Failure if it cannot be used. */
  async check(): Promise<void> {
    await this.all();
    const warning = await this.warning();
    if (warning !== undefined) this.#log(warning);
  }

  /**
   * Creates a token and returns it: it cannot be read again. Creates the file if there is none. Throws a Failure if the name is
   * taken or the file is wrong.
   */
  async add(rights: TokenRights): Promise<string> {
    const token = `tmcp_${randomBytes(32).toString('base64url')}`;
    const salt = randomBytes(16).toString('base64url');
    await this.append({ ...rights, salt, hash: hashOf(token, salt), created: new Date(this.#now()).toISOString() });
    return token;
  }

  override async remove(name: string): Promise<void> {
    await super.remove(name);
    await removeFile(this.#usePath(name)).catch(() => undefined);
  }

  /** When a token was last used, to the minute; undefined if never, or if the server cannot write next to the file. */
  async lastUse(name: string): Promise<Date | undefined> {
    return (await findFile(this.#usePath(name)).catch(() => undefined))?.about?.mtime;
  }

  async verify(token: string): Promise<Holder | TokenProblem> {
    // Every entry is compared, in constant time, so that timing reveals nothing.
    const matches = (await this.all()).filter(({ salt, hash }) =>
      timingSafeEqual(Buffer.from(hashOf(token, salt)), Buffer.from(hash)),
    );
    const match = matches.at(-1);
    if (!match) return { error: 'invalid_token', description: 'The token is unknown.' };
    if (this.#hasExpired(match)) return { error: 'invalid_token', description: 'The token has expired.' };
    await this.#recordUse(match.name);
    return holderFrom(match);
  }

  async holderNamed(name: string): Promise<Holder | undefined> {
    const match = (await this.all()).find((candidate) => candidate.name === name);
    return match && !this.#hasExpired(match) ? holderFrom(match) : undefined;
  }

  #hasExpired({ expires }: TokenEntry): boolean {
    return expires !== undefined && Date.parse(expires) <= this.#now();
  }

  /** Writes a file per token, not the list: a person may be editing that. */
  async #recordUse(name: string): Promise<void> {
    const now = this.#now();
    if (now - (this.#usedAtByName.get(name) ?? Number.NEGATIVE_INFINITY) < useIntervalMs) return;
    this.#usedAtByName.set(name, now);
    try {
      await makeFolder(this.#useFolder);
      await replaceFile(this.#usePath(name), `${new Date(now).toISOString()}\n`);
    } catch (error) {
      if (this.#isErrorLogged) return;
      this.#isErrorLogged = true;
      this.#log(`last uses of tokens are not kept: ${this.#useFolder} (${whyNot(error)}).`);
    }
  }

  get #useFolder(): string {
    return `${this.path}.last-use`;
  }

  #usePath(name: string): string {
    return join(this.#useFolder, `${name}.used`);
  }
}

function holderFrom({ name, access, tools, trackers, campaigns, max_bid, max_payout }: TokenEntry): Holder {
  return { name, access, tools, trackers, limits: { campaigns, maxBid: max_bid, maxPayout: max_payout } };
}
