import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import {
  Approval,
  type Approver,
  type Approvers,
  type Decision,
  decision,
  isDecidedBy,
  type Signer,
  type Verdict,
} from './approvers.ts';
import {
  type Draft,
  isProposalId,
  isSameDraft,
  makeProposal,
  type Proposal,
  readPlainLetters,
  readProposal,
} from './proposal.ts';
import type { ProposalFiles } from './store.ts';

/** What became of a proposal that a server took. */
const ending = z.object({
  /** stale: what it rests on is not what it was, and nothing was sent · stopped: the message says how far it came */
  state: z.enum(['done', 'stale', 'stopped', 'rejected', 'expired']),
  message: z.string(),
  change: z.string().optional(),
});

export type ProposalEnding = z.infer<typeof ending>;

/** What is kept once a server took a proposal. One that ends while it writes this leaves only a part. */
const taken = z
  .object({
    time: z.iso.datetime().optional().catch(undefined),
    proposal: z.unknown(),
    ending: ending.optional().catch(undefined),
  })
  .catch({ proposal: undefined });

/** waiting: no decision yet · approved: not sent yet · sending: a server took it · unknown: one did long ago, and gave no end */
export type ProposalState = 'waiting' | 'approved' | 'sending' | 'unknown' | ProposalEnding['state'];

export interface KnownProposal {
  readonly proposal: Proposal;
  readonly state: ProposalState;
  /** When that was so. */
  readonly at: Date;
  readonly decision?: Decision | undefined;
  readonly ending?: ProposalEnding | undefined;
}

/** So many can wait for people at a time; of one token, and of all callers without one, fewer: no caller fills all places. */
const maxWaiting = { inAll: 100, ofToken: 20, withoutToken: 50 };

/** More than this no person reads, and no answer holds. */
const maxLength = 25_000;

/** How long it can be looked up what became of a proposal. */
const keptForMs = 7 * 24 * 60 * 60_000;

/** How long another server leaves an approved proposal to the one that made it, which knows the most about it. */
const graceMs = 5000;

/** A server that took a proposal has sent it long before. */
const maxSendingMs = 10 * 60_000;

/** Writes that wait for a person, and what becomes of them. What is read from the store is checked here. */
export class Proposals {
  readonly files: ProposalFiles;
  readonly approvers: Approvers;
  readonly now: () => Date;
  readonly #made = new Set<string>();
  /** Those that it took: they are not taken again, even if their files are put back. */
  readonly #taken = new Set<string>();
  /** Those that it made whose end no caller has seen yet. */
  readonly #unseen = new Set<string>();

  constructor(files: ProposalFiles, approvers: Approvers, now = () => new Date()) {
    this.files = files;
    this.approvers = approvers;
    this.now = now;
  }

  /** Has a write wait for a person; one that waits already is not made twice. Throws a Failure if there is no room for it. */
  async make(draft: Draft): Promise<Proposal> {
    if (JSON.stringify(draft).length > maxLength) {
      const happened = `${draft.tool} was not proposed: it is longer than a person can check.`;
      throw new Failure(happened, 'Ask for less at once.');
    }
    const open = (await this.all()).filter(({ state }) => state === 'waiting' || state === 'approved');
    const same = open.find(({ proposal }) => isSameDraft(proposal, draft))?.proposal;
    const made = same ?? makeProposal(draft, this.now());
    if (!same) {
      refuseFull(draft, open);
      await this.files.write(made.id, 'proposal', made);
    }
    this.#made.add(made.id);
    this.#unseen.add(made.id);
    return made;
  }

  /** The proposal with an ID, as a person or an agent typed it. */
  async find(typed: string): Promise<KnownProposal | undefined> {
    const id = readPlainLetters(typed);
    return isProposalId(id) ? this.#read(id, await this.approvers.all()) : undefined;
  }

  /** @throws Failure if there is no proposal with the ID that a person typed */
  async get(typed: string): Promise<KnownProposal> {
    const known = await this.find(typed);
    if (known) return known;
    throw new Failure('There is no such proposal.', 'tracker-mcp approve lists those that wait.');
  }

  /** All that are kept, the newest first. Those of last week are forgotten on the way. */
  async all(): Promise<readonly KnownProposal[]> {
    const approvers = await this.approvers.all();
    // In this order: one that is taken meanwhile is found all the same.
    const ids = [...(await this.files.ids('proposal')), ...(await this.files.ids('taken'))];
    const found = await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const known = await this.#read(id, approvers);
        if (!known || Date.parse(known.proposal.expires) > this.now().getTime() - keptForMs) return known;
        await this.files.remove(id);
        return undefined;
      }),
    );
    return found
      .filter((known) => known !== undefined)
      .sort((one, other) => (one.proposal.created < other.proposal.created ? 1 : -1));
  }

  /** Decides about a proposal. Throws a Failure if there is none of that ID, or it waits no more. */
  async decide(typed: string, signer: Signer, verdict: Verdict): Promise<Proposal> {
    const { proposal, state } = await this.get(typed);
    if (state !== 'waiting') {
      throw new Failure(`Proposal ${proposal.id} waits no more: ${state}.`, 'Nothing was decided.');
    }
    await this.files.write(proposal.id, 'decision', signer.decide(proposal, verdict, this.now()));
    return proposal;
  }

  /** The approved ones that this process may send now. What was rejected, or approved too late, ends on the way. */
  async approved(): Promise<readonly Approval[]> {
    const [decided, taken] = [await this.files.ids('decision'), await this.files.ids('taken')];
    const ids = [...decided].filter((id) => !taken.has(id));
    if (ids.length === 0) return [];
    const approvers = await this.approvers.all();
    const found = await Promise.all(ids.map((id) => this.#approvalOf(id, approvers)));
    return found.filter((approval) => approval !== undefined);
  }

  async #approvalOf(id: string, approvers: readonly Approver[]): Promise<Approval | undefined> {
    const { state, decision: decided, proposal } = (await this.#read(id, approvers)) ?? {};
    const end = async (became: ProposalEnding) => {
      await this.files.take(id, { time: this.now().toISOString(), ending: became });
      return undefined;
    };
    if (this.#taken.has(id)) return end({ state: 'stopped', message: 'Nothing was sent: it was sent before.' });
    if (state === 'rejected') return end({ state, message: `${decided?.approver} rejected it.` });
    if (state === 'expired') return end({ state, message: 'It was not sent in time.' });
    if (state !== 'approved' || !decided || !proposal) return undefined;
    const isLeft = this.now().getTime() - Date.parse(decided.time) > graceMs;
    return this.#made.has(id) || isLeft ? Approval.of(decided, proposal, approvers) : undefined;
  }

  /** @returns whether this process, and no other, may send it */
  async take({ proposal: { id } }: Approval): Promise<boolean> {
    if (this.#taken.has(id) || !(await this.files.take(id, { time: this.now().toISOString() }))) return false;
    this.#taken.add(id);
    return true;
  }

  finish({ proposal }: Approval, became: ProposalEnding): Promise<void> {
    return this.files.write(proposal.id, 'taken', { time: this.now().toISOString(), ending: became, proposal });
  }

  /** Those that were made here by the holder of a token, or without one, and have come to an end since this was last asked. */
  async endedSince(holder: string | undefined): Promise<readonly KnownProposal[]> {
    const ended: KnownProposal[] = [];
    for (const id of this.#unseen) {
      const known = await this.find(id);
      if (!known) this.#unseen.delete(id);
      if (!known || isOpen(known) || known.proposal.holder?.name !== holder) continue;
      this.#unseen.delete(id);
      ended.push(known);
    }
    return ended;
  }

  async #read(id: string, approvers: readonly Approver[]): Promise<KnownProposal | undefined> {
    // In this order: one that is taken meanwhile is found all the same.
    const [waiting, kept] = [await this.files.read(id, 'proposal'), await this.files.read(id, 'taken')];
    const took = kept === undefined ? undefined : taken.parse(kept);
    const proposal = readProposal(waiting ?? took?.proposal, id);
    if (!proposal) return undefined;
    const parsed = decision.safeParse(await this.files.read(id, 'decision')).data;
    const decided = parsed && isDecidedBy(parsed, proposal, approvers) ? parsed : undefined;
    const at = this.now();
    const state =
      took?.ending?.state ?? stateOf(proposal, took && (took.time ?? proposal.created), decided, at.getTime());
    return { proposal, state, at, decision: decided, ending: took?.ending };
  }
}

function stateOf(
  { expires }: Proposal,
  takenAt: string | undefined,
  decided: Decision | undefined,
  now: number,
): ProposalState {
  if (takenAt !== undefined) return now - Date.parse(takenAt) < maxSendingMs ? 'sending' : 'unknown';
  if (decided?.verdict === 'no') return 'rejected';
  if (Date.parse(expires) <= now) return 'expired';
  return decided ? 'approved' : 'waiting';
}

/** @throws Failure if all places are taken, or all that the caller may take */
function refuseFull({ tool, holder }: Draft, open: readonly KnownProposal[]): void {
  const own = open.filter(({ proposal }) => proposal.holder?.name === holder?.name).length;
  const isOwnFull = own >= (holder ? maxWaiting.ofToken : maxWaiting.withoutToken);
  if (!isOwnFull && open.length < maxWaiting.inAll) return;
  const whose = isOwnFull && holder ? ` of the token of ${holder.name}` : '';
  throw new Failure(
    `${tool} was not proposed: ${isOwnFull ? own : open.length} writes${whose} wait for a person already.`,
    'Ask the person to decide about those first; list_changes shows them.',
  );
}

/** Whether it can still come to something. */
export function isOpen({ state }: KnownProposal): boolean {
  return state === 'waiting' || state === 'approved' || state === 'sending';
}
