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
import { SignIns } from './sign-ins.ts';
import type { ProposalFiles, TakenPart } from './store.ts';

/** What became of a proposal that a server took. */
const ending = z.object({
  /** stale: what it rests on is not what it was, and nothing was sent · stopped: the message says how far it came */
  state: z.enum(['done', 'stale', 'stopped', 'rejected', 'expired']),
  message: z.string(),
  /** The change that it became. */
  change: z.string().optional(),
  time: z.string(),
});

export type ProposalEnding = Omit<z.infer<typeof ending>, 'time'>;

/** waiting: no decision yet · approved: not sent yet · sending: a server took it · unknown: one did long ago, and gave no end */
export type ProposalState = 'waiting' | 'approved' | 'sending' | 'unknown' | ProposalEnding['state'];

export interface KnownProposal {
  readonly proposal: Proposal;
  readonly state: ProposalState;
  /** When that was so. */
  readonly at: Date;
  readonly decision?: Decision | undefined;
  readonly ending?: z.infer<typeof ending> | undefined;
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
  readonly #store: ProposalFiles;
  readonly #approvers: Approvers;
  readonly #now: () => Date;
  /** Who is signed in on the page. */
  readonly signIns: SignIns;
  /** Those that this process made. */
  readonly #made = new Set<string>();
  /** Those that it took: they are not taken again, even if their files are put back. */
  readonly #taken = new Set<string>();
  /** Those that it made whose end no caller has seen yet. */
  readonly #unseen = new Set<string>();

  constructor(store: ProposalFiles, approvers: Approvers, now: () => Date = () => new Date()) {
    this.#store = store;
    this.#approvers = approvers;
    this.#now = now;
    this.signIns = new SignIns(store, approvers, now);
  }

  /**
   * Has a write wait for a person. The same one, proposed again while it waits, is one proposal.
   *
   * @throws Failure if it is too long, too many wait already, or it cannot be kept
   */
  async make(draft: Draft): Promise<Proposal> {
    if (JSON.stringify(draft).length > maxLength) {
      const happened = `${draft.tool} was not proposed: it is longer than a person can check.`;
      throw new Failure(happened, 'Ask for less at once.');
    }
    const open = (await this.all()).filter(({ state }) => state === 'waiting' || state === 'approved');
    const same = open.find(({ proposal }) => isSameDraft(proposal, draft))?.proposal;
    const made = same ?? makeProposal(draft, this.#now());
    if (!same) {
      refuseFull(draft, open);
      await this.#store.write(made.id, 'proposal', made);
    }
    this.#made.add(made.id);
    this.#unseen.add(made.id);
    return made;
  }

  /** The proposal with an ID, as a person or an agent typed it. */
  async find(typed: string): Promise<KnownProposal | undefined> {
    const id = readPlainLetters(typed);
    return isProposalId(id) ? this.#read(id, await this.#approvers.all()) : undefined;
  }

  /** All that are kept, the newest first. Those of last week are forgotten on the way. */
  async all(): Promise<readonly KnownProposal[]> {
    const approvers = await this.#approvers.all();
    // In this order: one that is taken meanwhile is found all the same.
    const ids = [...(await this.#store.ids('proposal')), ...(await this.#store.ids('taken'))];
    const found = await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const known = await this.#read(id, approvers);
        if (!known || Date.parse(known.proposal.expires) > this.#now().getTime() - keptForMs) return known;
        await this.#store.remove(id);
        return undefined;
      }),
    );
    return found
      .filter((known) => known !== undefined)
      .sort((one, other) => (one.proposal.created < other.proposal.created ? 1 : -1));
  }

  /** The approver with this secret, able to decide; undefined if there is none. */
  signIn(secret: string): Promise<Signer | undefined> {
    return this.#approvers.signIn(secret);
  }

  async hasApprovers(): Promise<boolean> {
    return (await this.#approvers.all()).length > 0;
  }

  /**
   * Decides about a proposal that waits.
   *
   * @throws Failure if there is none of that ID, or it waits no more
   */
  async decide(typed: string, signer: Signer, verdict: Verdict): Promise<Proposal> {
    const { proposal, state } = (await this.find(typed)) ?? {};
    if (!proposal) throw new Failure('There is no such proposal.', 'tracker-mcp approve lists those that wait.');
    if (state !== 'waiting') {
      throw new Failure(`Proposal ${proposal.id} waits no more: ${state}.`, 'Nothing was decided.');
    }
    await this.#store.write(proposal.id, 'decision', signer.decide(proposal, verdict, this.#now()));
    return proposal;
  }

  /** The approved ones that this process may send now. What was rejected, or approved too late, ends on the way. */
  async approved(): Promise<readonly Approval[]> {
    const [decided, taken] = [await this.#store.ids('decision'), await this.#store.ids('taken')];
    const ids = [...decided].filter((id) => !taken.has(id));
    if (ids.length === 0) return [];
    const approvers = await this.#approvers.all();
    const found = await Promise.all(ids.map((id) => this.#approvalOf(id, approvers)));
    return found.filter((approval) => approval !== undefined);
  }

  async #approvalOf(id: string, approvers: readonly Approver[]): Promise<Approval | undefined> {
    const { state, decision: decided, proposal } = (await this.#read(id, approvers)) ?? {};
    const end = async (became: ProposalEnding) => {
      if (await this.#store.take(id, this.#now())) await this.#writeEnding(id, became);
      return undefined;
    };
    if (this.#taken.has(id)) return end({ state: 'stopped', message: 'Nothing was sent: it was sent before.' });
    if (state === 'rejected') return end({ state, message: `${decided?.approver} rejected it.` });
    if (state === 'expired') return end({ state, message: 'It was not sent in time.' });
    if (state !== 'approved' || !decided || !proposal) return undefined;
    const isLeft = this.#now().getTime() - Date.parse(decided.time) > graceMs;
    return this.#made.has(id) || isLeft ? Approval.of(decided, proposal, approvers) : undefined;
  }

  /** @returns whether this process, and no other, may send it */
  async take({ proposal: { id } }: Approval): Promise<boolean> {
    if (this.#taken.has(id) || !(await this.#store.take(id, this.#now()))) return false;
    this.#taken.add(id);
    return true;
  }

  finish({ proposal }: Approval, became: ProposalEnding): Promise<void> {
    return this.#writeEnding(proposal.id, became);
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

  #writeEnding(id: string, became: ProposalEnding): Promise<void> {
    return this.#store.write(id, 'ending', { ...became, time: this.#now().toISOString() });
  }

  async #read(id: string, approvers: readonly Approver[]): Promise<KnownProposal | undefined> {
    const read = this.#store.read.bind(this.#store, id);
    const [waiting, taken] = [await read('proposal'), (await read('taken')) as Partial<TakenPart> | null | undefined];
    const proposal = readProposal(waiting ?? taken?.proposal, id);
    if (!proposal) return undefined;
    const parsed = decision.safeParse(await read('decision')).data;
    const decided = parsed && isDecidedBy(parsed, proposal, approvers) ? parsed : undefined;
    // A server that ends while it takes one leaves a part without a time.
    const takenAt = taken === undefined ? undefined : Date.parse(taken?.time ?? '') || Date.parse(proposal.created);
    const ended = taken === undefined ? undefined : ending.safeParse(await read('ending')).data;
    const at = this.#now();
    const state = ended?.state ?? stateOf(proposal, takenAt, decided, at.getTime());
    return { proposal, state, at, decision: decided, ending: ended };
  }
}

function stateOf(
  { expires }: Proposal,
  takenAt: number | undefined,
  decided: Decision | undefined,
  now: number,
): ProposalState {
  if (takenAt !== undefined) return now - takenAt < maxSendingMs ? 'sending' : 'unknown';
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
