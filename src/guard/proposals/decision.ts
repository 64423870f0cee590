import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import * as z from 'zod';
import { isSameData } from '../../api/text/json.ts';
import { type Draft, hashOf, type Proposal } from './proposal.ts';

/** What a person decided about one proposal, as it is kept: keeping it is not enough to make one. */
export const decision = z.strictObject({
  proposal: z.string(),
  /** Of all that was proposed. */
  hash: z.string(),
  verdict: z.enum(['yes', 'no']),
  approver: z.string(),
  time: z.string(),
  /** Ed25519, over all of the above. */
  signature: z.string(),
});

export type Decision = z.infer<typeof decision>;
export type Verdict = Decision['verdict'];

function signedPart({ proposal, hash, verdict, approver, time }: Omit<Decision, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['tracker-mcp decision', proposal, hash, verdict, approver, time]));
}

/** Decides in the name of an approver, with a key that only their secret makes. */
export class Signer {
  readonly name: string;
  readonly #key: KeyObject;

  constructor(name: string, key: KeyObject) {
    this.name = name;
    this.#key = key;
  }

  decide(proposal: Proposal, verdict: Verdict, now: Date): Decision {
    const decided = {
      proposal: proposal.id,
      hash: hashOf(proposal),
      verdict,
      approver: this.name,
      time: now.toISOString(),
    };
    return { ...decided, signature: sign(null, signedPart(decided), this.#key).toString('base64url') };
  }

  /** The key, for where it is kept while its owner is signed in. */
  exportKey(): Buffer {
    return this.#key.export({ format: 'der', type: 'pkcs8' });
  }

  /** The public half, as the file of approvers keeps it. */
  get publicKey(): string {
    return publicKeyOf(this.#key);
  }
}

/** Whether a decision is about exactly this proposal and signed by the owner of the key. */
export function isSigned(decided: Decision, proposal: Proposal, publicKey: string): boolean {
  return (
    decided.proposal === proposal.id &&
    decided.hash === hashOf(proposal) &&
    verify(null, signedPart(decided), readPublicKey(publicKey), Buffer.from(decided.signature, 'base64url'))
  );
}

/** What stands ahead of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key that a secret makes: 160 random bits need no slow hash, as nobody can try them. */
export function keyFrom(secret: string, salt: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, salt, 'tracker-mcp approver', 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' });
}

/** The public half, as the file of approvers keeps it. */
export function publicKeyOf(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x);
}

function readPublicKey(x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** What of an approver checks what they decided. */
type Checker = { readonly name: string; readonly public_key: string };

/** What the guard knows of an act that is about to be sent. */
export type AgreedAct = Pick<Draft, 'tool' | 'undoes' | 'holder' | 'policy'> & {
  readonly steps: readonly Pick<Draft['steps'][number], 'tool' | 'arguments' | 'sent'>[];
};

/** A person's yes to one proposal. There is no way to make one but from a decision that one of the approvers signed. */
export class Approval {
  readonly proposal: Proposal;
  /** Whose yes it is. */
  readonly approver: string;

  private constructor(proposal: Proposal, approver: string) {
    this.proposal = proposal;
    this.approver = approver;
  }

  /** @returns undefined if it is no yes, about something else, or of nobody who may say it */
  static of(decided: Decision, proposal: Proposal, approvers: readonly Checker[]): Approval | undefined {
    return decided.verdict === 'yes' && isDecidedBy(decided, proposal, approvers)
      ? new Approval(proposal, decided.approver)
      : undefined;
  }

  /** Whether what is about to be sent is what was agreed to: by whom, within which policy, and each request of it. */
  covers({ tool, undoes, steps, holder, policy }: AgreedAct): boolean {
    const { proposal } = this;
    const agreed = {
      ...{ tool: proposal.tool, undoes: proposal.undoes, holder: proposal.holder, policy: proposal.policy },
      steps: proposal.steps.map((step) => ({ tool: step.tool, arguments: step.arguments, sent: step.sent })),
    };
    return isSameData({ tool, undoes, steps, holder, policy }, agreed);
  }
}

/** Whether one of the approvers decided so about exactly this proposal. */
export function isDecidedBy(decided: Decision, proposal: Proposal, approvers: readonly Checker[]): boolean {
  const approver = approvers.find(({ name }) => name === decided.approver);
  return approver !== undefined && isSigned(decided, proposal, approver.public_key);
}
