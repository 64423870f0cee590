import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { Failure } from '../../../api/failure.ts';
import type { Holder } from '../../../guard/limits.ts';
import { personName } from '../../../guard/limits.ts';
import { replaceFile } from '../../../guard/replace-file.ts';
import type { TokenProblem, TokenVerifier } from './gate.ts';

/** A token as the file keeps it: its own words cannot be got back from it. */
const entry = z.strictObject({
  name: personName,
  access: z.enum(['read', 'propose', 'write']),
  salt: z.string().min(16),
  hash: z.string().regex(/^[\w-]{43}$/),
  created: z.string().optional(),
  tools: z.array(z.string()).min(1).optional(),
  campaigns: z.array(z.int().min(1)).min(1).optional(),
  max_bid: z.number().min(0).optional(),
  max_payout: z.number().min(0).optional(),
  trackers: z.array(z.string()).min(1).optional(),
});
const file = z.strictObject({ tokens: z.array(entry) });

export type TokenEntry = z.infer<typeof entry>;

/** What a token may do, as it is given when it is made. */
export type TokenRights = Omit<TokenEntry, 'salt' | 'hash' | 'created'>;

/** 256 random bits cannot be guessed, so a fast hash keeps them as well as a slow one; the salt keeps two files apart. */
function hashOf(token: string, salt: string): string {
  return createHash('sha256').update(`${salt}:${token}`).digest('base64url');
}

/**
 * Reads the tokens of a file.
 *
 * @throws Failure that names the file and what is wrong with it
 */
export async function readTokens(path: string): Promise<readonly TokenEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`The file of tokens ${path} cannot be read (${error.code}).`, 'tracker-mcp token add makes it.');
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Failure(`The file of tokens ${path} is no JSON.`);
  }
  const parsed = file.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Failure(
      `The file of tokens ${path} is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}.`,
    );
  }
  const names = parsed.data.tokens.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Failure(`The file of tokens ${path} names ${twice} twice.`);
  return parsed.data.tokens;
}

/**
 * Adds a token to a file, which is made where it is not there.
 *
 * @returns the token, which nobody can read again
 * @throws Failure where the name is taken or the file is wrong
 */
export async function addToken(path: string, rights: TokenRights): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const tokens = isThere ? await readTokens(path) : [];
  if (tokens.some(({ name }) => name === rights.name)) {
    throw new Failure(`There is a token of ${rights.name} already.`, 'Remove it first, or choose another name.');
  }
  const token = `tmcp_${randomBytes(32).toString('base64url')}`;
  const salt = randomBytes(16).toString('base64url');
  const made = entry.safeParse({ ...rights, salt, hash: hashOf(token, salt), created: new Date().toISOString() });
  if (!made.success) throw new Failure(`The ${made.error.issues[0]?.path.join('.')} ${made.error.issues[0]?.message}.`);
  await writeTokens(path, [...tokens, made.data]);
  return token;
}

/** @throws Failure where there is no token of that name */
export async function removeToken(path: string, name: string): Promise<void> {
  const tokens = await readTokens(path);
  const left = tokens.filter((token) => token.name !== name);
  if (left.length === tokens.length) throw new Failure(`There is no token of ${name}.`);
  await writeTokens(path, left);
}

async function writeTokens(path: string, tokens: readonly TokenEntry[]): Promise<void> {
  await replaceFile(path, `${JSON.stringify({ tokens }, null, 2)}\n`);
}

/** Takes the tokens of a file, which is read again when it has changed: a token that was removed lets nobody in. */
export class TokenFile implements TokenVerifier {
  readonly #path: string;
  #version = '';
  #tokens: readonly TokenEntry[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async verify(token: string): Promise<Holder | TokenProblem> {
    await this.refresh();
    let found: TokenEntry | undefined;
    // All are compared, and each in constant time: how long it takes tells nothing.
    for (const entry of this.#tokens) {
      if (timingSafeEqual(Buffer.from(hashOf(token, entry.salt)), Buffer.from(entry.hash))) found = entry;
    }
    if (!found) return { error: 'invalid_token', description: 'There is no such token.' };
    const { name, access, tools, trackers, campaigns, max_bid: maxBid, max_payout: maxPayout } = found;
    return { name, access, tools, trackers, limits: { campaigns, maxBid, maxPayout } };
  }

  /** @throws Failure where the file cannot be read or is wrong */
  async refresh(): Promise<void> {
    const about = await stat(this.#path, { bigint: true }).catch(() => undefined);
    const version = `${about?.ino} ${about?.mtimeNs} ${about?.size}`;
    if (about && version === this.#version) return;
    this.#version = '';
    this.#tokens = await readTokens(this.#path);
    this.#version = version;
  }
}
