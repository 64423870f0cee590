import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../../../guard/proposals/decision.ts';

/** Somebody who gave an approver's secret on the page. */
export interface SignIn {
  readonly signer: Signer;
  /** Stands in each form: a page of somebody else cannot know it. */
  readonly formToken: string;
  readonly since: number;
  usedAt: number;
}

const maxIdleMs = 15 * 60_000;
const maxAgeMs = 8 * 60 * 60_000;

/** More make room: the one that is the oldest ends. */
const maxSignIns = 100;

/** Who is signed in on the page, in this process alone; the browser holds a name that cannot be guessed. */
export class SignIns {
  readonly #signIns = new Map<string, SignIn>();

  /** @returns the name by which the browser is known from now on */
  begin(signer: Signer): string {
    const name = randomBytes(32).toString('base64url');
    const now = Date.now();
    this.#signIns.set(name, { signer, formToken: randomBytes(32).toString('base64url'), since: now, usedAt: now });
    const [oldest] = this.#signIns.keys();
    if (this.#signIns.size > maxSignIns && oldest !== undefined) this.#signIns.delete(oldest);
    return name;
  }

  find(name: string | undefined): SignIn | undefined {
    const now = Date.now();
    const found = name === undefined ? undefined : this.#signIns.get(name);
    if (!found || name === undefined) return undefined;
    if (now - found.usedAt > maxIdleMs || now - found.since > maxAgeMs) {
      this.#signIns.delete(name);
      return undefined;
    }
    found.usedAt = now;
    return found;
  }

  end(name: string | undefined): void {
    if (name !== undefined) this.#signIns.delete(name);
  }
}

/** Whether a form was filled in on our page, by whoever is signed in. */
export function isOwnForm({ formToken }: SignIn, given: string): boolean {
  const [one, other] = [Buffer.from(formToken), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
