import { setTimeout as sleep } from 'node:timers/promises';
import type { Deadline } from '../api/deadline.ts';
import { AnswerProblem } from './decode/answer-problem.ts';
import { StatusProblem, TransportError } from './errors.ts';

const maxRetries = 2;
const firstBackoffMs = 300;
const maxBackoffMs = 4000;

const retriedStatuses = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Runs a read, with up to two retries if its failure may pass: after a random part of a growing pause (full jitter), or after
 * the pause that the tracker asked for. A pause past the deadline is not started.
 */
export async function withRetries<Result>(run: () => Promise<Result>, deadline: Deadline): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maxRetries || deadline.hasEnded || !mayPass(error)) throw error;
      const pauseMs = askedPauseMs(error) ?? Math.random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** attempt);
      if (pauseMs >= deadline.leftMs) throw error;
      await sleep(pauseMs, undefined, { signal: deadline.signal }).catch(() => Promise.reject(deadline.reason));
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof StatusProblem) return retriedStatuses.has(error.status);
  if (error instanceof AnswerProblem) return error.kind === 'empty' || error.kind === 'cut-off';
  return error instanceof TransportError && error.kind !== 'too-large';
}

/** Retry-After is authoritative when present. */
function askedPauseMs(error: unknown): number | undefined {
  return error instanceof StatusProblem && error.retryAfter !== undefined ? error.retryAfter * 1000 : undefined;
}

/**
 * @param header Retry-After: seconds, or an HTTP date
 * @returns whole seconds from now; undefined if the header is missing or malformed
 */
export function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}
