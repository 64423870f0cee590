import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Approvers, type Verdict } from '../../src/guard/approval.ts';
import type { Policy } from '../../src/guard/guard.ts';
import { Proposals } from '../../src/guard/proposals.ts';
import { openApprovedWrites } from '../../src/tools/approved-writes.ts';
import { type ConnectOptions, connect, contextFor } from './connect.ts';
import { newFolder } from './folders.ts';

/** A folder that servers and approvers share, with one approver. */
export async function setUpApproval() {
  const folder = await newFolder('approve-');
  const directory = join(folder, 'proposals');
  const approversFile = join(folder, 'approvers.json');
  const secret = await new Approvers(approversFile).add('ann');
  /** How far the clocks of servers and approvers are ahead. */
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const proposals = () => new Proposals(directory, new Approvers(approversFile), now);
  return {
    ...{ folder, directory, approversFile, secret, clock, proposals },
    files: () => readdir(directory),
    /** Decides as a person does, over proposals of their own. */
    decide: async (id: string, verdict: Verdict = 'yes', typed = secret) => {
      const ofPerson = proposals();
      const signer = await ofPerson.approvers.signIn(typed);
      if (!signer) throw new Error('no approver has this secret');
      return ofPerson.decide(id, signer, verdict);
    },
  };
}

export type ApprovalSetup = Awaited<ReturnType<typeof setUpApproval>>;

/** A server whose writes wait for a person, and its client. By default no other server has its proposals. */
export async function startApproving(
  { policy, ...options }: ConnectOptions & { readonly policy?: Partial<Policy> },
  shared?: ApprovalSetup,
) {
  const setup = shared ?? (await setUpApproval());
  const proposals = setup.proposals();
  const context = contextFor({ ...options, policy: { confirm: 'approve', proposals, ...policy } });
  const failures: unknown[] = [];
  const writes = openApprovedWrites(proposals, context, (error) => failures.push(error));
  const connection = await connect({ ...options, context });
  const stateOf = (proposal_id: string) => connection.data<ProposalAnswer>('get_proposal', { proposal_id });
  return {
    ...connection,
    setup,
    failures,
    context,
    look: () => writes.look(),
    /** Makes a write that waits, and returns its proposal. */
    propose: async (name: string, given: Readonly<Record<string, unknown>>) => {
      const { done, proposal, notices } = await connection.data<Proposed>(name, given);
      return { done, notices, ...proposal };
    },
    stateOf,
    /** Has the person decide, and the server look at it. Returns what became of the proposal. */
    decided: async (id: string, verdict?: Verdict) => {
      await setup.decide(id, verdict);
      await writes.look();
      return stateOf(id);
    },
  };
}

export interface ProposalAnswer {
  readonly proposal_id: string;
  readonly state: string;
  readonly message: string | null;
  readonly change_id: string | null;
  readonly decided_by: string | null;
  readonly expires: string;
  readonly effect: readonly string[];
  readonly steps: readonly {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly sent: Readonly<Record<string, string>>;
    readonly before: Readonly<Record<string, unknown>>;
  }[];
}

interface Proposed {
  readonly done: boolean;
  readonly proposal: ProposalAnswer;
  readonly notices: readonly string[];
}
