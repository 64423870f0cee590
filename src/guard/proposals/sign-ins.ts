import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../../api/text/json.ts';
import { type Approvers, Signer } from './approvers.ts';
import { toPlainLetters } from './proposal.ts';
import type { ProposalFiles } from './store.ts';

/** Somebody who gave an approver's secret on the page. */
export interface SignIn {
  readonly signer: Signer;
  /** Stands in each form: a page of somebody else cannot know it. */
  readonly formToken: string;
}

const maxIdleMs = 15 * 60_000;
const maxAgeMs = 2 * 60 * 60_000;

/** How often a use is written down. */
const useIntervalMs = 60_000;

const kept = z.strictObject({ usedAt: z.number(), sealed: z.string() });
const opened = z.strictObject({ name: z.string(), key: z.string(), since: z.number() });

/**
 * Who is signed in on the page, at every server that shares the store. The browser holds a random word; the store holds the
 * approver's key, sealed with that word: neither is worth anything without the other, and signing out deletes the sealed key.
 */
export class SignIns {
  readonly #store: ProposalFiles;
  readonly #approvers: Approvers;
  readonly #now: () => Date;

  constructor(store: ProposalFiles, approvers: Approvers, now: () => Date) {
    this.#store = store;
    this.#approvers = approvers;
    this.#now = now;
  }

  /** @returns the word by which the browser is known from now on */
  async begin(signer: Signer): Promise<string> {
    await this.#forgetOld();
    const word = randomBytes(32).toString('base64url');
    const now = this.#now().getTime();
    const content = JSON.stringify({ name: signer.name, key: signer.exportKey(), since: now });
    await this.#store.write(idOf(word), 'sign-in', { usedAt: now, sealed: seal(content, word) });
    return word;
  }

  /** @returns undefined if nobody is signed in by this word, or nobody who may still decide */
  async find(word = ''): Promise<SignIn | undefined> {
    const { data } = kept.safeParse(await this.#store.read(idOf(word), 'sign-in'));
    const inside = data && unseal(data.sealed, word);
    if (!data || !inside) return undefined;
    const signer = Signer.import(inside.name, inside.key);
    const now = this.#now().getTime();
    const isOver = now - data.usedAt > maxIdleMs || now - inside.since > maxAgeMs;
    if (isOver || !signer.isOneOf(await this.#approvers.all())) {
      await this.end(word);
      return undefined;
    }
    if (now - data.usedAt > useIntervalMs) await this.#store.write(idOf(word), 'sign-in', { ...data, usedAt: now });
    return { signer, formToken: derive(word, 'form').toString('base64url') };
  }

  async end(word = ''): Promise<void> {
    await this.#store.remove(idOf(word));
  }

  async #forgetOld(): Promise<void> {
    const old = this.#now().getTime() - maxIdleMs;
    for (const id of await this.#store.ids('sign-in')) {
      const { data } = kept.safeParse(await this.#store.read(id, 'sign-in'));
      if (!data || data.usedAt < old) await this.#store.remove(id);
    }
  }
}

/** Whether a form was filled in on our page, by the person who is signed in. */
export function isOwnForm({ formToken }: SignIn, given: string): boolean {
  const [one, other] = [Buffer.from(formToken), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The ID says nothing about the word. */
function idOf(word: string): string {
  return toPlainLetters(createHash('sha256').update(`sign-in ${word}`).digest()).slice(0, 12);
}

/** What only the word gives; 256 random bits need no slow hash. */
function derive(word: string, use: 'seal' | 'form'): Buffer {
  return Buffer.from(hkdfSync('sha256', word, '', `tracker-mcp sign-in ${use}`, 32));
}

const [ivLength, tagLength] = [12, 16];

function seal(text: string, word: string): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', derive(word, 'seal'), iv);
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64');
}

/** @returns undefined if it was not sealed with this word */
function unseal(sealed: string, word: string): z.infer<typeof opened> | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const [iv, inside] = [bytes.subarray(0, ivLength), bytes.subarray(ivLength, -tagLength)];
  try {
    const cipher = createDecipheriv('aes-256-gcm', derive(word, 'seal'), iv, { authTagLength: tagLength });
    cipher.setAuthTag(bytes.subarray(-tagLength));
    return opened.safeParse(parseJson(cipher.update(inside, undefined, 'utf8') + cipher.final('utf8'))).data;
  } catch {
    return undefined;
  }
}
