import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { plainHost } from './plain-host.ts';
import type { WriteRequest } from './write-request.ts';

/** What an agent may write. An absent limit allows everything. */
export interface Limits {
  readonly campaigns?: readonly number[] | undefined;
  /** With campaigns limited: whether predefined pages and offers, which other campaigns may use, can be changed too. */
  readonly predefined?: boolean | undefined;
  /** Host names; `*.example.com` stands for every subdomain of example.com. */
  readonly urlHosts?: readonly string[] | undefined;
  readonly maxBid?: number | undefined;
  readonly maxPayout?: number | undefined;
}

interface Limit {
  readonly setting: string;
  /** What is wrong, in words, where the request breaks the limit; undefined where it keeps it or there is none. */
  readonly broken: (limits: Limits, request: WriteRequest) => string | undefined;
}

const allLimits: readonly Limit[] = [
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS',
    broken: ({ campaigns }, request) =>
      about(request, 'campaign_id', (value) =>
        campaigns && !campaigns.includes(Number(value))
          ? `only campaigns ${campaigns.join(', ')} may be changed`
          : undefined,
      ),
  },
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS; TRACKER_ALLOW_PREDEFINED=1 allows it',
    broken: ({ campaigns, predefined }, { endpoint }) =>
      campaigns && !predefined && isSharedByCampaigns(endpoint)
        ? `what it changes may run in any campaign, and only campaigns ${campaigns.join(', ')} may be changed`
        : undefined,
  },
  {
    setting: 'TRACKER_ALLOW_URL_HOSTS',
    broken: ({ urlHosts }, request) => about(request, 'url', (url) => urlHosts && unlistedHost(url, urlHosts)),
  },
  { setting: 'TRACKER_MAX_BID', broken: ({ maxBid }, request) => above(request, 'bid', maxBid) },
  { setting: 'TRACKER_MAX_PAYOUT', broken: ({ maxPayout }, request) => above(request, 'payout', maxPayout) },
];

/**
 * Checks a write against limits. What is looked at are the parameters as they will be sent.
 *
 * @param setter what set them; without it the settings did
 * @throws Failure that names the limit, its setting and the argument
 */
export function checkLimits(request: WriteRequest, limits: Limits, setter?: string): void {
  for (const { setting, broken } of allLimits) {
    const reason = broken(limits, request);
    if (reason === undefined) continue;
    throw new Failure(
      `${request.endpoint.name} was refused, and nothing was sent: ${reason} (${setter ?? setting}).`,
      'Only the person who runs this server can change that limit; ask them.',
    );
  }
}

/** Predefined records: a campaign's own are changed by naming the campaign. */
function isSharedByCampaigns({ access, parameters }: WriteRequest['endpoint']): boolean {
  return access === 'update' && !('campaign_id' in parameters);
}

const maxShown = 200;

/** Puts an argument and its value ahead of what is wrong with it. */
function about(
  { endpoint, shown }: WriteRequest,
  argument: string,
  problemOf: (value: string) => string | undefined,
): string | undefined {
  const value = shown[endpoint.parameters[argument]?.wire ?? ''];
  const problem = value === undefined ? undefined : problemOf(value);
  if (value === undefined || problem === undefined) return undefined;
  const text = JSON.stringify(cleanText(value));
  return `${argument} is ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}, and ${problem}`;
}

function above(request: WriteRequest, argument: string, max: number | undefined): string | undefined {
  return about(request, argument, (value) =>
    max !== undefined && Number(value) > max ? `the highest ${argument} that may be set is ${max}` : undefined,
  );
}

function unlistedHost(url: string, hosts: readonly string[]): string | undefined {
  const host = plainHost(url);
  const isListed = hosts.some((allowed) => {
    const name = allowed.toLowerCase().replace(/\.$/, '');
    return name.startsWith('*.') ? host?.endsWith(name.slice(1)) : host === name;
  });
  if (isListed) return undefined;
  const problem = `only URLs on ${hosts.join(', ')} may be set`;
  if (host !== undefined) return problem;
  return `${problem}, with the host written plainly: no user name, no token, no escape, in lower case where it is not ASCII, and a slash ahead of any @ or \\`;
}
