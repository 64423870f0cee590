import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import * as z from 'zod';
import { hourMs } from '../api/durations.ts';
import { isSameData, ordered } from '../api/text/json.ts';
import { holderSchema, personName, policyLimitsSchema } from './holder.ts';
import { SecretsFile } from './secrets-file.ts';

/** How long a proposal waits for a person, and for a server to send it. */
const lifetimeMs = hourMs;

const values = z.record(z.string(), z.unknown());

/** One word, because it is shown without quotation marks. */
const toolName = z.string().regex(/^\w+$/);

const step = z.strictObject({
  tool: toolName,
  arguments: values,
  /** The wire parameters, with the key masked. */
  sent: z.record(z.string(), z.string()),
  before: values,
});

const draft = z.strictObject({
  /** Identifies the tracker: its base URL, plus its name if several accounts have that URL. */
  tracker: z.string(),
  trackerName: z.string().optional(),
  /** The account there, by a hash of its API key. */
  account: z.string().optional(),
  tool: toolName,
  undoes: z.string().optional(),
  /** The writes of a set: how many of the steps are of each. */
  parts: z.array(z.strictObject({ tool: toolName, undoes: z.string().optional(), steps: z.number() })).optional(),
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
    readOnly: z.boolean(),
    tools: holderSchema.shape.tools,
    limits: policyLimitsSchema,
    confirm: z.union([z.boolean(), z.literal('approve')]),
  }),
});

/** The nonce gives two proposals of the same write different IDs. */
const content = draft.extend({ created: z.string(), expires: z.string(), nonce: z.string() });

export type Draft = z.infer<typeof draft>;

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

/** The first 60 bits of the hash: short enough to type, long enough that no different proposal can be made for the ID. */
function idOf(proposed: z.infer<typeof content>): string {
  return toPlainLetters(Buffer.from(hashOf(proposed), 'base64url')).slice(0, 12);
}

export const proposalIdForm = /[0-9a-hjkmnp-tv-z]{12}/;

/** Whether a text can be the ID of a proposal. Nothing else may become a file name. */
export function isProposalId(text: string): boolean {
  return text.length === 12 && proposalIdForm.test(text);
}

/** The hash of a whole proposal, which a decision signs. */
function hashOf({ id: _, ...proposed }: z.infer<typeof content> & { readonly id?: string }): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(proposed)))
    .digest('base64url');
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return isSameData(draft.strip().parse(one), draft.strip().parse(other));
}

/** An approver in the file: enough to check their decisions, not to make one. */
const approver = z.strictObject({
  name: personName,
  salt: z.string().min(16),
  public_key: z.string().regex(/^[\w-]{43}$/),
  created: z.string(),
});

export type Approver = z.infer<typeof approver>;

/** 160 bits, which are 32 letters that a person can type. */
const secretBytes = 20;

/** The people who may decide. Removing a person also voids their decisions that were not carried out yet. */
export class Approvers extends SecretsFile<Approver> {
  constructor(path: string) {
    super(path, { list: 'approvers', one: 'approver', entry: approver, danger: 'approve anything' });
  }

  /** Returns a signer for the approver with this secret; undefined if no approver has it. */
  async signIn(typed: string): Promise<Signer | undefined> {
    const secret = readPlainLetters(typed);
    for (const { name, salt, public_key } of await this.all()) {
      const key = keyFrom(secret, salt);
      if (publicKeyOf(key) === public_key) return { name, key };
    }
    return undefined;
  }

  /** Returns the secret, which is not stored. Throws a Failure if the name is taken or invalid. */
  async add(name: string): Promise<string> {
    const secret = toPlainLetters(randomBytes(secretBytes));
    const salt = randomBytes(16).toString('base64url');
    const public_key = publicKeyOf(keyFrom(secret, salt));
    await this.append({ name, salt, public_key, created: new Date().toISOString() });
    return (secret.match(/.{4}/g) ?? []).join('-');
  }
}

/** A person's decision about one proposal. Write access to the files is not enough to forge one. */
const decision = z.strictObject({
  proposal: z.string(),
  hash: z.string(),
  verdict: z.enum(['yes', 'no']),
  approver: z.string(),
  time: z.string(),
  /** Ed25519, over the fields above. */
  signature: z.string(),
});

export type Decision = z.infer<typeof decision>;
export type Verdict = Decision['verdict'];

function signedPart({ proposal, hash, verdict, approver, time }: Omit<Decision, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['tracker-mcp decision', proposal, hash, verdict, approver, time]));
}

/** An approver who typed their secret. The key can only be derived from it. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

export function decide({ name, key }: Signer, proposal: Proposal, verdict: Verdict, now: Date): Decision {
  const about = { proposal: proposal.id, hash: hashOf(proposal), verdict };
  const decided = { ...about, approver: name, time: now.toISOString() };
  return { ...decided, signature: sign(null, signedPart(decided), key).toString('base64url') };
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Derives the key from a secret. No slow hash is needed for 160 random bits. */
export function keyFrom(secret: string, salt: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, salt, 'tracker-mcp approver', 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' });
}

/** The public key, as the file of approvers stores it. */
export function publicKeyOf(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x);
}

/** The part of a proposal that a write must match to be sent: the caller, the policy and every request. */
const agreedPart = draft
  .pick({ tool: true, undoes: true, parts: true, policy: true })
  .extend({
    holder: holderSchema.pick({ name: true }).strip().nullable(),
    steps: z.array(step.omit({ before: true }).strip()),
  })
  .strip();

/** A person's yes to one proposal. It can only be made from a decision that one of the approvers signed. */
export class Approval {
  readonly proposal: Proposal;
  readonly approver: string;

  private constructor(proposal: Proposal, approver: string) {
    this.proposal = proposal;
    this.approver = approver;
  }

  /** Returns undefined if the decision is a no, or is not one about this proposal by one of the approvers. */
  static of(decided: unknown, proposal: Proposal, approvers: readonly Approver[]): Approval | undefined {
    const { verdict, approver } = readDecision(decided, proposal, approvers) ?? {};
    return verdict === 'yes' && approver !== undefined ? new Approval(proposal, approver) : undefined;
  }

  /** Whether a write is what was approved. */
  covers(write: z.input<typeof agreedPart>): boolean {
    return isSameData(agreedPart.parse(write), agreedPart.parse(this.proposal));
  }
}

/** Reads a stored decision; undefined unless one of the approvers signed it, about exactly this proposal. */
export function readDecision(data: unknown, proposal: Proposal, approvers: readonly Approver[]): Decision | undefined {
  const { data: read } = decision.safeParse(data);
  const approver = approvers.find(({ name }) => name === read?.approver);
  if (!read || !approver || read.proposal !== proposal.id || read.hash !== hashOf(proposal)) return undefined;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: approver.public_key }, format: 'jwk' });
  return verify(null, signedPart(read), key, Buffer.from(read.signature, 'base64url')) ? read : undefined;
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
