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
  /** Identifies the tracker: its base URL, plus its name if several accounts have that URL. */
  tracker: z.string(),
  trackerName: z.string().optional(),
  tool: z.string(),
  undoes: z.string().optional(),
  steps: z.array(step).min(1),
  /** What else must not change before sending, by description: the pages of the group, a predefined offer. */
  surroundings: z.record(z.string(), z.string()),
  currency: z.string().optional(),
  /** What it changes, with names and old and new values, for a person who reads only this. */
  summary: z.array(z.string()).optional(),
  /** Effects on traffic, and warnings, a line each. */
  effect: z.array(z.string()),
  client: z.string(),
  /** The holder of the token it was proposed with; null without tokens. */
  holder: holderSchema.omit({ trackers: true }).nullable(),
  policy: z.strictObject({
    ...{ readOnly: z.boolean(), tools: holderSchema.shape.tools, limits: limitsSchema },
    confirm: z.union([z.boolean(), z.literal('approve')]),
  }),
});

/** The nonce gives two proposals of the same write different IDs. */
const content = draft.extend({ created: z.string(), expires: z.string(), nonce: z.string() });

export type Draft = z.infer<typeof draft>;

/** A write that waits for a person. */
export type Proposal = z.infer<typeof content> & { readonly id: string };

export function makeProposal(given: Draft, now: Date): Proposal {
  const made = content.parse({
    // Through JSON, so that the hash is over what will be read from the file.
    ...JSON.parse(JSON.stringify(given)),
    created: now.toISOString(),
    expires: new Date(now.getTime() + lifetimeMs).toISOString(),
    nonce: randomBytes(12).toString('base64url'),
  });
  return { id: idOf(made), ...made };
}

/** Reads a stored proposal; undefined if it is invalid or its hash does not match its ID. */
export function readProposal(data: unknown, id: string): Proposal | undefined {
  const { data: read } = content.extend({ id: z.literal(id) }).safeParse(data);
  return read && idOf(read) === id ? read : undefined;
}

/** The hash of the whole proposal, which a decision signs. */
export function hashOf(proposed: Proposal): string {
  return digest(proposed).toString('base64url');
}

/** The first 60 bits of the hash: short enough to type, long enough that no different proposal can be made for the ID. */
function idOf(proposed: z.infer<typeof content>): string {
  return toPlainLetters(digest(proposed)).slice(0, 12);
}

/** Whether a text can be the ID of a proposal. Nothing else may become a file name. */
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

/** Thrown to end the call of a write that now waits for a person. It is not an error: nothing was sent. */
export class ProposalMade extends Error {
  override readonly name = 'ProposalMade';
  readonly proposal: Proposal;

  constructor(proposal: Proposal) {
    super('A person has to decide first.');
    this.proposal = proposal;
  }
}

/** Crockford's base 32: no letters that people confuse. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** Encodes five bits per letter; bits left at the end are dropped. */
export function toPlainLetters(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number(`0b${five}`)]).join('');
}

/** Normalizes what a person typed: lower case, no spaces or hyphens, and O, I and L as the digits they look like. */
export function readPlainLetters(typed: string): string {
  return typed.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
