import { cleanText } from '../../api/text/clean-text.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import { type Answer, type CallContext, type Tool, type ToolResult, wholeAnswer } from '../define-tool.ts';
import { proposalData, proposalLine, proposalText } from '../present/proposal.ts';

/** What a write answers that now waits for a person, whichever tool it was. */
export function proposedAnswer(proposal: Proposal, at: Date) {
  const known = { proposal, state: 'waiting', at } as const;
  const notices = [
    `Nothing was sent: a person has to approve proposal ${proposal.id} until ${proposal.expires}, with \`tracker-mcp approve ${proposal.id}\` on a terminal or on the /approve page of the server where it has one. You cannot.`,
    'Tell the person. get_proposal says what became of it; do not call the tool again for the same change.',
  ];
  const structured = { done: false, change_id: null, proposal: proposalData(known), notices };
  return wholeAnswer(structured, [proposalText(known), ...notices].join('\n'));
}

/** More is told by list_changes. */
const maxTold = 10;

/** The answer to a write, and behind it what became of earlier proposals of the same caller. */
export async function withEndedProposals(tool: Tool, answer: Answer, { guard }: CallContext): Promise<Answer> {
  const ended = tool.access === 'read' ? [] : await guard.proposals?.endedSince(guard.holderName);
  if (!ended || ended.length === 0) return answer;
  const told = ended.slice(0, maxTold).map(proposalLine).map(cleanText);
  const render = (counts: readonly number[]): ToolResult => {
    const result = answer.render(counts);
    const { notices } = result.structured;
    const earlier = Array.isArray(notices) ? notices : [];
    return {
      ...result,
      structured: { ...result.structured, notices: [...earlier, ...told] },
      text: [result.text, ...told].join('\n'),
    };
  };
  return { ...answer, render };
}
