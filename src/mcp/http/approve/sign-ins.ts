import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { toPlainLetters } from '../../../guard/proposals/proposal.ts';
import type { Proposals } from '../../../guard/proposals/proposals.ts';

const maxIdleMs = 15 * 60_000;
const maxAgeMs = 2 * 60 * 60_000;

const useIntervalMs = 60_000;

const kept = z.strictObject({ usedAt: z.number(), sealed: z.string() });

/**
 * Who is signed in on the page, at every server that shares the store. The browser holds a random word; the store holds the
 * approver's secret, sealed with that word: neither is worth anything without the other, and signing out deletes what is sealed.
 */
export function openSignIns({ files, approvers, now }: Proposals) {
  const end = (word = '') => files.remove(idOf(word));
  return {
    end,
    /** Returns the word by which the browser is known from now on. */
    begin: async (secret: string): Promise<string> => {
      for (const id of await files.ids('sign-in')) {
        const { data } = kept.safeParse(await files.read(id, 'sign-in'));
        if (!data || data.usedAt < now().getTime() - maxIdleMs) await files.remove(id);
      }
      const word = randomBytes(32).toString('base64url');
      const sealed = await new EncryptJWT({ secret })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(new Date(now().getTime() + maxAgeMs))
        .encrypt(derive(word, 'seal'));
      await files.write(idOf(word), 'sign-in', { usedAt: now().getTime(), sealed });
      return word;
    },
    /**
     * Who gave an approver's secret, and the token in each form, which a page of somebody else cannot know.
     *
     * @returns undefined if no sign-in has this word, it is over, or its approver was removed
     */
    find: async (word = '') => {
      const { data } = kept.safeParse(await files.read(idOf(word), 'sign-in'));
      if (!data) return undefined;
      const idleMs = now().getTime() - data.usedAt;
      const opened = jwtDecrypt(data.sealed, derive(word, 'seal'), { currentDate: now() });
      const secret = await opened.then(({ payload }) => String(payload['secret'])).catch(() => undefined);
      const signer = secret === undefined || idleMs > maxIdleMs ? undefined : await approvers.signIn(secret);
      if (!signer) {
        await end(word);
        return undefined;
      }
      if (idleMs > useIntervalMs) await files.write(idOf(word), 'sign-in', { ...data, usedAt: now().getTime() });
      return { signer, formToken: derive(word, 'form').toString('base64url') };
    },
  };
}

/** Whether two texts are the same, in a time that says nothing about where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** What only the word gives, and what does not give the word. */
function derive(word: string, use: 'id' | 'seal' | 'form'): Buffer {
  return createHmac('sha256', word).update(`tracker-mcp sign-in ${use}`).digest();
}

function idOf(word: string): string {
  return toPlainLetters(derive(word, 'id')).slice(0, 12);
}
