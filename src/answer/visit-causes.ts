import { type Cell, quoted } from '../api/text/tracker-text.ts';

/** What nothing shows. */
const guesses = {
  'other-account':
    'Perhaps the subID is of another tracker or account, was cut off or mistyped, or is older than what the tracker keeps.',
  'left-landing-page': 'Perhaps the visitor left the landing page without clicking, as most do.',
  'untracked-link':
    'Perhaps its call to action does not lead through the tracker: compare the CTR of the landing pages with get_stats.',
  'left-later-page':
    'Perhaps the visitor left at a later one, if the campaign has several levels or a form ahead of the offer.',
  'no-active-offer':
    'Perhaps no offer of the visitor’s path or option group was active with a share above 0 at that moment: see the offer report of get_stats.',
  'did-not-buy':
    'Perhaps the visitor did not buy, which is the usual case; or the network has not reported it yet, which can take days.',
  'lost-postback':
    'Perhaps the network’s postback does not reach the tracker, or not with this subID: check the postback URL, and that pass_subid_to_offer is on (edit_campaign).',
} as const;

export type Guess = keyof typeof guesses;

export interface LikelyRobot {
  readonly id: 'robot';
  /** The user agent, if it is one of a robot; null if not. */
  readonly agent: Cell;
  readonly isInstant: boolean;
  readonly isp: Cell;
}

/** What may explain that a visitor did not take the next step. */
export type VisitCause = { readonly id: Guess } | LikelyRobot;

export function sayCause(cause: VisitCause): string {
  if (cause.id !== 'robot') return guesses[cause.id];
  const { agent, isInstant, isp } = cause;
  const signs = [
    ...(agent === null ? [] : [`the user agent is ${quoted(agent, 120)}`]),
    ...(isInstant ? ['the click came within a second of arriving'] : []),
  ];
  const provider = isp === null ? '' : ` (ISP ${quoted(isp, 60)})`;
  return `The visitor looks like a robot: ${signs.join(', and ')}${provider}.`;
}
