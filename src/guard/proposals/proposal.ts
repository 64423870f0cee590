import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { isSameData, ordered } from '../../api/text/json.ts';
import { holderSchema, limitsSchema } from '../holder.ts';

/** How long a proposal waits for a person, and for a server to send it. */
const lifetimeMs = 60 * 60_000;

const values = z.record(z.string(), z.unknown());

const step = z.strictObject({
  tool: z.string(),
  arguments: values,
  /** The wire parameters, with the key masked. */
  sent: z.record(z.string(), z.string()),
  before: values,
});

const draft = z.strictObject({
  /** What the tracker is known by: its base URL, and its name beside it if several accounts are there. */
  tracker: z.string(),
  trackerName: z.string().optional(),
  tool: z.string(),
  undoes: z.string().optional(),
  steps: z.array(step).min(1),
  /** What else a yes rests on, by what it is: the pages of the group, a predefined offer. */
  surroundings: z.record(z.string(), z.string()),
  currency: z.string().optional(),
  /** What it changes, by names, with old and new values: a line that a person can agree to without the rest. */
  summary: z.array(z.string()).optional(),
  /** What it does to the traffic and what to think about, a line each. */
  effect: z.array(z.string()),
  client: z.string(),
  /** Whose token it was proposed with; null without tokens. */
  holder: holderSchema.omit({ trackers: true }).nullable(),
  policy: z.strictObject({
    ...{ readOnly: z.boolean(), tools: holderSchema.shape.tools, limits: limitsSchema },
    confirm: z.union([z.boolean(), z.literal('approve')]),
  }),
});

/** The nonce keeps two proposals of the same apart. */
const content = draft.extend({ created: z.string(), expires: z.string(), nonce: z.string() });

export type Draft = z.infer<typeof draft>;

/** A write, or several that belong together, that waits for a person. */
export type Proposal = z.infer<typeof content> & { readonly id: string };

export function makeProposal(given: Draft, now: Date): Proposal {
  const made = content.parse({
    // As it will be read again: what JSON cannot say is not agreed to either.
    ...JSON.parse(JSON.stringify(given)),
    created: now.toISOString(),
    expires: new Date(now.getTime() + lifetimeMs).toISOString(),
    nonce: randomBytes(12).toString('base64url'),
  });
  return { id: idOf(made), ...made };
}

/** A proposal as it was kept; undefined if it is none, or another than its ID says. */
export function readProposal(data: unknown, id: string): Proposal | undefined {
  const { data: read } = content.extend({ id: z.literal(id) }).safeParse(data);
  return read && idOf(read) === id ? read : undefined;
}

/** The hash of everything in a proposal, which is what a person decides about. */
export function hashOf(proposed: Proposal): string {
  return digest(proposed).toString('base64url');
}

/** The beginning of the hash, 60 bits: short enough to be typed, and nothing else can take the place of what it names. */
function idOf(proposed: z.infer<typeof content>): string {
  return toPlainLetters(digest(proposed)).slice(0, 12);
}

/** Whether a text can be the ID of a proposal; nothing else may become the name of a file. */
export function isProposalId(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(text);
}

function digest({ id: _, ...proposed }: z.infer<typeof content> & { readonly id?: string }): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(ordered(proposed)))
    .digest();
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return isSameData(draft.strip().parse(one), draft.strip().parse(other));
}

/** Ends the call of a write that now waits for a person: nothing was sent, and nothing went wrong. */
export class ProposalMade extends Error {
  override readonly name = 'ProposalMade';
  readonly proposal: Proposal;

  constructor(proposal: Proposal) {
    super('A person has to decide first.');
    this.proposal = proposal;
  }
}

/** Digits and letters that a person reads, says and types without taking one for another: Crockford’s base 32. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** As many whole letters of five bits as the bytes hold. */
export function toPlainLetters(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number(`0b${five}`)]).join('');
}

/** What a person typed, without case, blanks and hyphens, and with O, I and L as the digits they look like. */
export function readPlainLetters(typed: string): string {
  return typed.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
