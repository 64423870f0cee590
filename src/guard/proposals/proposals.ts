import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import type { Approver, Approvers } from './approvers.ts';
import { Approval, type Decision, decision, isDecidedBy, type Signer, type Verdict } from './decision.ts';
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
import type { ProposalStore, TakenPart } from './store.ts';

/** What became of a proposal that a server took up. */
const ending = z.object({
  /** stale: what it rests on is not what it was, and nothing was sent · stopped: the message says how far it came */
  state: z.enum(['done', 'stale', 'stopped', 'rejected', 'expired']),
  message: z.string(),
  /** The change that it became. */
  change: z.string().optional(),
  time: z.string(),
});

export type ProposalEnding = Omit<z.infer<typeof ending>, 'time'>;

/**
 * Where a proposal stands.
 *
 * waiting: nobody decided · approved: a server has still to send it · sending: one does · unknown: one took it, and nobody
 * knows how far it came
 */
export type ProposalState = 'waiting' | 'approved' | 'sending' | 'unknown' | ProposalEnding['state'];

export interface KnownProposal {
  readonly proposal: Proposal;
  readonly state: ProposalState;
  /** When that was so. */
  readonly at: Date;
  readonly decision?: Decision | undefined;
  readonly ending?: z.infer<typeof ending> | undefined;
}

/** So many can wait for people at a time; of one token, and of all callers without one, fewer: nobody fills all places. */
const maxWaiting = 100;
const maxWaitingOfToken = 20;
const maxWaitingWithoutToken = 50;

/** More than this no person reads, and no answer holds. */
const maxLength = 25_000;

/** How long it can be looked up what became of a proposal. */
const keptForMs = 7 * 24 * 60 * 60_000;

/** How long another server leaves an approved proposal to the one that made it, which knows the most about it. */
const graceMs = 5000;

/** A server that took a proposal has long sent it by then. */
const maxSendingMs = 10 * 60_000;

/** Writes that wait for a person, and what becomes of them. What is read from the store is checked here. */
export class Proposals {
  readonly #store: ProposalStore;
  readonly #approvers: Approvers;
  readonly #now: () => Date;
  /** Who is signed in on the page. */
  readonly signIns: SignIns;
  /** Those that this process made. */
  readonly #made = new Set<string>();
  /** Those that it took: they are not taken again, even if somebody puts their files back. */
  readonly #taken = new Set<string>();
  /** Those of them whose end nobody was told yet. */
  readonly #untold = new Set<string>();

  constructor(store: ProposalStore, approvers: Approvers, now: () => Date = () => new Date()) {
    this.#store = store;
    this.#approvers = approvers;
    this.#now = now;
    this.signIns = new SignIns(store, approvers, now);
  }

  /**
   * Has a write wait for a person. The same one, proposed again while it waits, is one proposal.
   *
   * @throws Failure where it is too long, too many wait already, or it cannot be kept
   */
  async make(draft: Draft): Promise<Proposal> {
    if (JSON.stringify(draft).length > maxLength) {
      throw new Failure(
        `${draft.tool} was not proposed: it is longer than a person can check.`,
        'Ask for less at once.',
      );
    }
    const open = (await this.all()).filter(({ state }) => state === 'waiting' || state === 'approved');
    const same = open.find(({ proposal }) => isSameDraft(proposal, draft))?.proposal;
    const made = same ?? makeProposal(draft, this.#now());
    if (!same) {
      refuseFull(draft, open);
      await this.#store.write(made.id, 'proposal', made);
    }
    this.#made.add(made.id);
    this.#untold.add(made.id);
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
    const { proposal, taken } = await this.#store.ids();
    const found = await Promise.all(
      [...new Set([...proposal, ...taken])].map(async (id) => {
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

  /** Who has this secret, able to decide; undefined where nobody has. */
  signIn(secret: string): Promise<Signer | undefined> {
    return this.#approvers.signIn(secret);
  }

  /** Whether there is anybody who may decide. */
  async hasApprovers(): Promise<boolean> {
    return (await this.#approvers.all()).length > 0;
  }

  /**
   * Decides about a proposal that waits.
   *
   * @throws Failure where there is none of that ID, or it waits no more
   */
  async decide(typed: string, signer: Signer, verdict: Verdict): Promise<Proposal> {
    const known = await this.find(typed);
    if (!known) throw new Failure('There is no such proposal.', 'tracker-mcp approve lists those that wait.');
    if (known.state !== 'waiting') {
      throw new Failure(`Proposal ${known.proposal.id} waits no more: ${known.state}.`, 'Nothing was decided.');
    }
    await this.#store.write(known.proposal.id, 'decision', signer.decide(known.proposal, verdict, this.#now()));
    return known.proposal;
  }

  /** The approved ones that this process may send now. What was rejected, or approved too late, ends on the way. */
  async approved(): Promise<readonly Approval[]> {
    const { decision: decided, taken } = await this.#store.ids();
    const ids = [...decided].filter((id) => !taken.has(id));
    if (ids.length === 0) return [];
    const approvers = await this.#approvers.all();
    const found = await Promise.all(
      ids.map(async (id) => {
        const { state, decision: decided, proposal } = (await this.#read(id, approvers)) ?? {};
        if (this.#taken.has(id)) {
          await this.#end(id, { state: 'stopped', message: 'Nothing was sent: it was sent before.' });
          return undefined;
        }
        if (state === 'rejected') await this.#end(id, { state, message: `${decided?.approver} rejected it.` });
        if (state === 'expired') await this.#end(id, { state, message: 'It was not sent in time.' });
        const isLeft = decided && this.#now().getTime() - Date.parse(decided.time) > graceMs;
        if (state !== 'approved' || !decided || !proposal || !(this.#made.has(id) || isLeft)) return undefined;
        return Approval.of(decided, proposal, approvers);
      }),
    );
    return found.filter((approval) => approval !== undefined);
  }

  /** @returns whether this process, and no other, may send it */
  async take({ proposal: { id } }: Approval): Promise<boolean> {
    if (this.#taken.has(id) || !(await this.#store.take(id, this.#now()))) return false;
    this.#taken.add(id);
    return true;
  }

  finish({ proposal }: Approval, became: ProposalEnding): Promise<void> {
    return this.#store.write(proposal.id, 'ending', { ...became, time: this.#now().toISOString() });
  }

  /** Those that were made here by the holder of a token, or without one, and have come to an end since it was last asked. */
  async endedSince(holder: string | undefined): Promise<readonly KnownProposal[]> {
    const ended: KnownProposal[] = [];
    for (const id of this.#untold) {
      const known = await this.find(id);
      if (!known) this.#untold.delete(id);
      if (!known || isOpen(known) || known.proposal.holder?.name !== holder) continue;
      this.#untold.delete(id);
      ended.push(known);
    }
    return ended;
  }

  async #end(id: string, became: ProposalEnding): Promise<void> {
    const now = this.#now();
    if (!(await this.#store.take(id, now))) return;
    await this.#store.write(id, 'ending', { ...became, time: now.toISOString() });
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
    return {
      ...{ proposal, at, decision: decided, ending: ended },
      state: ended?.state ?? stateOf(proposal, takenAt, decided, at.getTime()),
    };
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
  const max = holder ? maxWaitingOfToken : maxWaitingWithoutToken;
  if (own < max && open.length < maxWaiting) return;
  const whose = own < max || !holder ? '' : ` of the token of ${holder.name}`;
  throw new Failure(
    `${tool} was not proposed: ${own < max ? open.length : own} writes${whose} wait for a person already.`,
    'Ask the person to decide about those first; list_changes shows them.',
  );
}

/** Whether it can still come to something. */
export function isOpen({ state }: KnownProposal): boolean {
  return state === 'waiting' || state === 'approved' || state === 'sending';
}
