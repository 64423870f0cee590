import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type Holder, holderSchema, personName } from '../../guard/holder.ts';
import { SecretsFile } from '../../guard/secrets-file.ts';
import type { TokenProblem, TokenVerifier } from './gate.ts';

/** A token as the file keeps it: the token itself cannot be got back from it. */
const entry = z.strictObject({
  name: personName,
  access: holderSchema.shape.access,
  salt: z.string().min(16),
  hash: z.string().regex(/^[\w-]{43}$/),
  created: z.string().optional(),
  /** When it ends; without it, never. A time that cannot be read must not mean never. */
  expires: z
    .string()
    .refine((time) => !Number.isNaN(Date.parse(time)), 'is no time')
    .optional(),
  tools: z.array(z.string()).min(1).optional(),
  campaigns: z.array(z.int().min(1)).min(1).optional(),
  max_bid: z.number().min(0).optional(),
  max_payout: z.number().min(0).optional(),
  trackers: z.array(z.string()).min(1).optional(),
});

export type TokenEntry = z.infer<typeof entry>;

/** What a token may do, as it is given when it is made. */
export type TokenRights = Omit<TokenEntry, 'salt' | 'hash' | 'created'>;

const useIntervalMs = 60_000;

/** 256 random bits need no slow hash; the salt keeps two files apart. */
function hashOf(token: string, salt: string): string {
  return createHash('sha256').update(`${salt}:${token}`).digest('base64url');
}

/** The bearer tokens of a file, which is read again when it has changed: a removed token is refused at once. */
export class TokenFile extends SecretsFile<TokenEntry> implements TokenVerifier {
  readonly #log: (line: string) => void;
  readonly #now: () => number;
  readonly #usedAt = new Map<string, number>();
  #isTroubleLogged = false;

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

  /** Checks the file at the start, not when the first caller comes. Throws a Failure if it cannot be used. */
  async check(): Promise<void> {
    await this.all();
    const warning = await this.warning();
    if (warning !== undefined) this.#log(warning);
  }

  /**
   * Adds a token to the file, which is made if it is not there, and returns it: it cannot be read again. Throws a Failure if
   * the name is taken or the file is wrong.
   */
  async add(rights: TokenRights): Promise<string> {
    const token = `tmcp_${randomBytes(32).toString('base64url')}`;
    const salt = randomBytes(16).toString('base64url');
    await this.append({ ...rights, salt, hash: hashOf(token, salt), created: new Date(this.#now()).toISOString() });
    return token;
  }

  override async remove(name: string): Promise<void> {
    await super.remove(name);
    await rm(this.#usePath(name), { force: true }).catch(() => undefined);
  }

  /** When a token was last used, to the minute; undefined if it never was, or a server may not write beside the file. */
  async lastUse(name: string): Promise<Date | undefined> {
    return (await stat(this.#usePath(name)).catch(() => undefined))?.mtime;
  }

  async verify(token: string): Promise<Holder | TokenProblem> {
    let found: TokenEntry | undefined;
    // All are compared, each in constant time, so that the time it takes gives nothing away.
    for (const entry of await this.all()) {
      if (timingSafeEqual(Buffer.from(hashOf(token, entry.salt)), Buffer.from(entry.hash))) found = entry;
    }
    if (!found) return { error: 'invalid_token', description: 'There is no such token.' };
    if (this.#hasExpired(found)) return { error: 'invalid_token', description: 'The token has expired.' };
    await this.#noteUse(found.name);
    return holderFrom(found);
  }

  async holderNamed(name: string): Promise<Holder | undefined> {
    const found = (await this.all()).find((entry) => entry.name === name);
    return found && !this.#hasExpired(found) ? holderFrom(found) : undefined;
  }

  #hasExpired({ expires }: TokenEntry): boolean {
    return expires !== undefined && Date.parse(expires) <= this.#now();
  }

  /** A file for each token beside the list: the list itself is not written to, as a person may be changing it. */
  async #noteUse(name: string): Promise<void> {
    const now = this.#now();
    if (now - (this.#usedAt.get(name) ?? Number.NEGATIVE_INFINITY) < useIntervalMs) return;
    this.#usedAt.set(name, now);
    try {
      await mkdir(this.#useFolder, { recursive: true, mode: 0o700 });
      await writeFile(this.#usePath(name), `${new Date(now).toISOString()}\n`, { mode: 0o600 });
    } catch (error) {
      if (this.#isTroubleLogged) return;
      this.#isTroubleLogged = true;
      this.#log(`last uses of tokens are not kept: ${this.#useFolder} (${(error as NodeJS.ErrnoException).code}).`);
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
