import type { Proposal } from './proposal.ts';

/** Ends the call of a write that now waits for a person: nothing was sent, and nothing went wrong. */
export class ProposalMade extends Error {
  override readonly name = 'ProposalMade';
  readonly proposal: Proposal;

  constructor(proposal: Proposal) {
    super('A person has to decide first.');
    this.proposal = proposal;
  }
}
