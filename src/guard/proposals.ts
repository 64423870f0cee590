import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { dayMs } from '../api/durations.ts';
import { Failure } from '../api/failure.ts';
import { ordered, parseJson } from '../api/text/json.ts';
import { whyNot } from '../files/at-path.ts';
import { listNames, readText } from '../files/read-file.ts';
import { createFile, makeFolder, removeFile, replaceFile } from '../files/write-file.ts';
import {
  Approval,
  type Approvers,
  type Decision,
  type Draft,
  decide,
  isProposalId,
  isSameDraft,
  makeProposal,
  type Proposal,
  proposalIdForm,
  readDecision,
  readPlainLetters,
  readProposal,
  type Signer,
  type Verdict,
} from './approval.ts';

/** How a proposal ended after a server took it. */
const ending = z.object({
  /** stale: values that the person saw have changed, so nothing was sent · stopped: the message says how far it got */
  state: z.enum(['done', 'stale', 'stopped', 'rejected', 'expired']),
  message: z.string(),
  change: z.string().optional(),
});

export type ProposalEnding = z.infer<typeof ending>;

/** The file of a proposal that a server took. It may be incomplete if the server died while writing it. */
const taken = z
  .object({
    time: z.iso.datetime().optional().catch(undefined),
    proposal: z.unknown(),
    ending: ending.optional().catch(undefined),
  })
  .catch({ proposal: undefined });

/** waiting: for a decision · approved: not sent yet · sending: a server took it · unknown: taken long ago, without an ending */
export type ProposalState = 'waiting' | 'approved' | 'sending' | 'unknown' | ProposalEnding['state'];

export interface ProposalStatus {
  readonly proposal: Proposal;
  readonly state: ProposalState;
  readonly at: Date;
  readonly decision?: Decision | undefined;
  readonly ending?: ProposalEnding | undefined;
}

/** Max open proposals: in total, per token, and of all callers without a token. No caller can use up the total. */
const maxWaiting = { inAll: 100, ofToken: 20, withoutToken: 50 };

/** In characters. A person would not read more, and an answer has no room for more. */
const maxLength = 25_000;

/** Max proposals that are read at once. `find` finds any other by its ID. */
const maxRead = 500;

/** How long the outcome of a proposal can be looked up. */
const keptForMs = 7 * dayMs;

/** How long other servers leave an approved proposal to the one that made it. */
const graceMs = 5000;

/** After this time a server that took a proposal has sent it or died. */
const maxSendingMs = 10 * 60_000;

/** The writes that wait for a person, and their decisions and outcomes. Everything that is read from the files is checked here. */
export class Proposals {
  readonly files: ProposalFiles;
  readonly approvers: Approvers;
  readonly now: () => Date;
  /** Proposals that this process made, until `endedSince` returned their ending. */
  readonly #made = new Set<string>();
  #making: Promise<unknown> = Promise.resolve();

  constructor(directory: string, approvers: Approvers, now = () => new Date()) {
    this.files = openFiles(directory);
    this.approvers = approvers;
    this.now = now;
  }

  /** Makes a proposal, or returns an open one for the same write. Throws a Failure if there is no room for it. */
  make(draft: Draft): Promise<Proposal> {
    // One after the other: calls at the same moment see each other's.
    const made = this.#making.then(() => this.#make(draft));
    this.#making = made.catch(() => undefined);
    return made;
  }

  async #make(draft: Draft): Promise<Proposal> {
    if (JSON.stringify(draft).length > maxLength) {
      throw new Failure(
        `${draft.tool} was not proposed: it is too long for a person to check.`,
        'Change less at once.',
      );
    }
    const open = (await this.all()).filter(({ state }) => state === 'waiting' || state === 'approved');
    const same = open.find(({ proposal }) => isSameDraft(proposal, draft))?.proposal;
    const made = same ?? makeProposal(draft, this.now());
    if (!same) {
      refuseIfFull(draft, open);
      await this.files.removeClaims(this.now().getTime() - keptForMs);
      await this.files.write(made.id, 'proposal', made);
    }
    this.#made.add(made.id);
    return made;
  }

  /** The proposal with an ID that a person or an agent typed. */
  async find(typed: string): Promise<ProposalStatus | undefined> {
    const id = readPlainLetters(typed);
    return isProposalId(id) ? (await this.#read([id]))[0] : undefined;
  }

  /** @throws Failure if no proposal has the ID that a person typed */
  async get(typed: string): Promise<ProposalStatus> {
    const status = await this.find(typed);
    if (status) return status;
    throw new Failure('No proposal has this ID.', 'tracker-mcp approve lists those that wait.');
  }

  /** All proposals, newest first. Deletes those that expired more than a week ago. */
  async all(): Promise<readonly ProposalStatus[]> {
    // In this order, so that one that is taken in between is found in both or in the second.
    const all = await this.#read([...(await this.files.ids('proposal')), ...(await this.files.ids('taken'))]);
    const oldest = this.now().getTime() - keptForMs;
    const isOld = ({ proposal }: ProposalStatus) => Date.parse(proposal.expires) <= oldest;
    for (const { proposal } of all.filter(isOld)) await this.files.remove(proposal.id);
    const kept = all.filter((status) => !isOld(status));
    return kept.sort((one, other) => (one.proposal.created < other.proposal.created ? 1 : -1));
  }

  /**
   * Stores a person's decision. To repeat it, as by a second click, changes nothing. Throws a Failure if no proposal has that ID, or
   * it is not waiting.
   */
  async decide(typed: string, signer: Signer, verdict: Verdict): Promise<Proposal> {
    const { proposal, state, decision } = await this.get(typed);
    if (state !== 'waiting') {
      if (decision?.approver === signer.name && decision.verdict === verdict) return proposal;
      throw new Failure(`Proposal ${proposal.id} is not waiting any more: ${state}.`, 'Nothing was decided.');
    }
    const made = decide(signer, proposal, verdict, this.now());
    if (await this.files.decide(proposal.id, made)) return proposal;
    // Another person was faster, unless something else was put there that is no decision.
    if ((await this.get(typed)).state !== 'waiting') return this.decide(typed, signer, verdict);
    await this.files.write(proposal.id, 'decision', made, 'proposal');
    return proposal;
  }

  /** The approvals that this process may use now. Ends proposals that were rejected, or approved too late. */
  async approved(): Promise<readonly Approval[]> {
    const decided = await this.files.ids('decision');
    if (decided.size === 0) return [];
    const [waiting, taken] = [await this.files.ids('proposal'), await this.files.ids('taken')];
    const ids = [...decided].filter((id) => waiting.has(id) && !taken.has(id));
    if (ids.length === 0) return [];
    const approvers = await this.approvers.all();
    const approvals: (Approval | undefined)[] = [];
    for (const { state, proposal, decision: made } of await this.#read(ids)) {
      if (state === 'rejected') await this.#take(proposal, { state, message: `${made?.approver} rejected it.` });
      if (state === 'expired') await this.#take(proposal, { state, message: 'It was not sent in time.' });
      if (state !== 'approved' || !made) continue;
      const isGraceOver = this.now().getTime() - Date.parse(made.time) > graceMs;
      if (this.#made.has(proposal.id) || isGraceOver) approvals.push(Approval.of(made, proposal, approvers));
    }
    return approvals.filter((approval) => approval !== undefined);
  }

  /** Sends an approved proposal, stores how that ended and returns it, unless a process took it before. */
  async sendOnce({ proposal }: Approval, send: () => Promise<ProposalEnding>): Promise<ProposalEnding | undefined> {
    // Others may have been sent since it was read: meanwhile it may have expired, or its approver may have been removed.
    if ((await this.find(proposal.id))?.state !== 'approved' || !(await this.#take(proposal))) return undefined;
    const claims = await this.#claimValues(proposal);
    const ended = claims ? await send() : alreadyReplaced;
    await this.files.write(proposal.id, 'taken', { time: this.now().toISOString(), ending: ended, proposal });
    // What was not sent replaced nothing.
    if (claims && ended.change === undefined) await this.files.unclaim(claims);
    return ended;
  }

  /**
   * Claims the values that a proposal replaces, once for all who were asked before: reading them again and sending are two steps, between
   * which another server may send what replaces the same ones. Returns the files of the claims; undefined if one is claimed.
   */
  async #claimValues(proposal: Proposal): Promise<readonly string[] | undefined> {
    const claimed: string[] = [];
    for (const value of valuesReplacedBy(proposal)) {
      const file = await this.files.claim(value, new Date(proposal.created), this.now());
      if (file === undefined) {
        await this.files.unclaim(claimed);
        return undefined;
      }
      claimed.push(file);
    }
    return claimed;
  }

  #take({ id }: Proposal, ended?: ProposalEnding): Promise<boolean> {
    return this.files.take(id, { time: this.now().toISOString(), ending: ended });
  }

  /** The proposals made here for a token, or without one, that ended since the last call. */
  async endedSince(holder: string | undefined): Promise<readonly ProposalStatus[]> {
    const ended = await Promise.all(
      [...this.#made].map(async (id) => {
        const status = await this.find(id);
        if (status && (isOpen(status) || status.proposal.holder?.name !== holder)) return [];
        return this.#made.delete(id) && status ? [status] : [];
      }),
    );
    return ended.flat();
  }

  /** Reads the proposals that are valid, those of this process first. Anyone may have filled the directory with others. */
  async #read(ids: readonly string[]): Promise<ProposalStatus[]> {
    const approvers = await this.approvers.all();
    const read = async (id: string) => {
      // In this order, so that one that is taken in between is found in both or in the second.
      const [waiting, kept] = [await this.files.read(id, 'proposal'), await this.files.read(id, 'taken')];
      const took = kept === undefined ? undefined : taken.parse(kept);
      const proposal = readProposal(waiting ?? took?.proposal, id);
      if (!proposal) return [];
      const decided = readDecision(await this.files.read(id, 'decision'), proposal, approvers);
      const about = { proposal, at: this.now(), decision: decided, ending: took?.ending };
      return [{ ...about, state: stateOf(about, took && (took.time ?? proposal.created)) }];
    };
    const wanted = new Set(ids);
    const own = [...this.#made].filter((id) => wanted.has(id));
    return (await Promise.all([...new Set([...own, ...wanted])].slice(0, maxRead).map(read))).flat();
  }
}

function stateOf({ proposal, at, decision, ending }: Omit<ProposalStatus, 'state'>, takenAt?: string): ProposalState {
  if (ending) return ending.state;
  if (takenAt !== undefined) return at.getTime() - Date.parse(takenAt) < maxSendingMs ? 'sending' : 'unknown';
  if (decision?.verdict === 'no') return 'rejected';
  if (Date.parse(proposal.expires) <= at.getTime()) return 'expired';
  return decision ? 'approved' : 'waiting';
}

const alreadyReplaced: ProposalEnding = {
  state: 'stale',
  message:
    'Nothing was sent: another approved write of the same values began since, and may have been sent. Look at them, and propose it again.',
};

/** The values that a proposal replaces, a name for each, the same in all proposals that replace them. */
function valuesReplacedBy({ tracker, steps }: Proposal): string[] {
  const names = steps.flatMap(({ tool, arguments: given, before }) => {
    const record = Object.entries(given).filter(([name]) => !(name in before));
    return Object.entries(before).map(([name, value]) =>
      createHash('sha256')
        .update(JSON.stringify(ordered({ tracker, tool, record: Object.fromEntries(record), name, value })))
        .digest('hex')
        .slice(0, 32),
    );
  });
  // An undo of several changes may meet a value twice.
  return [...new Set(names)];
}

/** @throws Failure if the maximum is reached, of all callers or of this one */
function refuseIfFull({ tool, holder }: Draft, open: readonly ProposalStatus[]): void {
  const sameCaller = open.filter(({ proposal }) => proposal.holder?.name === holder?.name).length;
  const isCallerFull = sameCaller >= (holder ? maxWaiting.ofToken : maxWaiting.withoutToken);
  if (!isCallerFull && open.length < maxWaiting.inAll) return;
  const whose = isCallerFull && holder ? ` of the token of ${holder.name}` : '';
  throw new Failure(
    `${tool} was not proposed: ${isCallerFull ? sameCaller : open.length} writes${whose} already wait for a person.`,
    'Ask the person to decide about them first; list_changes shows them.',
  );
}

export function isOpen({ state }: ProposalStatus): boolean {
  return state === 'waiting' || state === 'approved' || state === 'sending';
}

/** The files of an ID, in the order of removal: without `taken`, a proposal whose other files are left could be sent again. */
const parts = ['sign-in', 'proposal', 'decision', 'taken'] as const;
type Part = (typeof parts)[number];

/** The claims of a value, in their order: `<value>.<number>.claim`. */
const claimForm = /[\da-f]{32}\.\d{1,9}\.claim/;

const claim = z.object({ time: z.iso.datetime() });

type ProposalFiles = ReturnType<typeof openFiles>;

/**
 * The files in one directory, through which servers and approvers communicate. Servers with the same trackers must share the
 * directory, or each would send what is approved. Others may be able to write there, so nothing is trusted before it is checked.
 */
function openFiles(directory: string) {
  const pathOf = (id: string, part: Part) => join(directory, `${id}.${part}.json`);
  return {
    /**
     * Writes a file atomically.
     *
     * @param like the part of the proposal whose owner must be able to read the file, whoever writes it
     */
    write: async (id: string, part: Part, content: object, like?: Part): Promise<void> => {
      await using(async () => {
        await makeFolder(directory);
        await replaceFile(pathOf(id, part), toJson(content), like && { like: pathOf(id, like) });
      });
    },
    /** Returns the content, null if it is not JSON, or undefined without such a file. */
    read: async (id: string, part: Part): Promise<unknown> => {
      const text = await readText(pathOf(id, part)).catch(() => undefined);
      return text === undefined ? undefined : (parseJson(text) ?? null);
    },
    ids: async (part: Part): Promise<ReadonlySet<string>> => {
      const names =
        (await using(() => listNames(directory, new RegExp(`${proposalIdForm.source}\\.${part}\\.json`)), 'ENOENT')) ??
        [];
      return new Set(names.map((name) => name.slice(0, -`.${part}.json`.length)));
    },
    /** Moves a proposal into `taken`, with this content. Returns whether it was the first, of all processes, to do so. */
    take: async (id: string, content: object): Promise<boolean> => {
      const take = async () => {
        const proposal = parseJson(await readText(pathOf(id, 'proposal')));
        await createFile(pathOf(id, 'taken'), toJson({ ...content, proposal }));
        await removeFile(pathOf(id, 'proposal'));
        return true;
      };
      return (await using(take, 'ENOENT', 'EEXIST')) ?? false;
    },
    /** Stores the first decision of all processes. Returns whether this was it. */
    decide: async (id: string, content: object): Promise<boolean> => {
      const store = async () => {
        await createFile(pathOf(id, 'decision'), toJson(content), { like: pathOf(id, 'proposal') });
        return true;
      };
      return (await using(store, 'EEXIST')) ?? false;
    },
    /**
     * Claims a value for one who was asked at a time. Returns the file of the claim; undefined if it was claimed since then.
     */
    claim: async (value: string, askedAt: Date, now: Date): Promise<string | undefined> => {
      const names = (await using(() => listNames(directory, claimForm), 'ENOENT')) ?? [];
      const numbers = names.flatMap((name) => (name.startsWith(value) ? Number(name.split('.')[1]) : []));
      const last = Math.max(0, ...numbers);
      const fileOf = (number: number) => join(directory, `${value}.${number}.claim`);
      const kept = last === 0 ? undefined : parseJson(await readText(fileOf(last)).catch(() => ''));
      if (last > 0 && !(Date.parse(claim.safeParse(kept).data?.time ?? '') < askedAt.getTime())) return undefined;
      const file = fileOf(last + 1);
      const take = async () => {
        await createFile(file, toJson({ time: now.toISOString() }));
        return file;
      };
      return using(take, 'EEXIST');
    },
    unclaim: async (files: readonly string[]): Promise<void> => {
      await using(() => Promise.all(files.map((file) => removeFile(file))));
    },
    /** Removes the claims that no proposal can meet any more. */
    removeClaims: async (olderThan: number): Promise<void> => {
      for (const name of (await using(() => listNames(directory, claimForm), 'ENOENT')) ?? []) {
        const kept = claim.safeParse(parseJson(await readText(join(directory, name)).catch(() => ''))).data;
        if (kept && Date.parse(kept.time) < olderThan) await removeFile(join(directory, name));
      }
    },
    remove: async (id: string): Promise<void> => {
      for (const part of parts) await removeFile(pathOf(id, part));
    },
  };

  /** Returns undefined on an error with one of these codes. Throws a Failure on any other. */
  async function using<Result>(use: () => Promise<Result>, ...codes: readonly string[]): Promise<Result | undefined> {
    try {
      return await use();
    } catch (error) {
      const why = whyNot(error);
      if (codes.includes(why)) return undefined;
      throw new Failure(
        `The directory of proposals ${directory} cannot be used (${why}), so nothing was sent.`,
        'The person who runs this server has to fix TRACKER_PROPOSALS; reading works.',
      );
    }
  }
}

function toJson(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
