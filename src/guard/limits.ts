import { domainToUnicode } from 'node:url';
import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinSome } from '../api/rules.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { shorten } from '../api/text/tracker-text.ts';
import type { Limits } from './holder.ts';
import type { WriteRequest } from './write.ts';

/** What the limits need to know about a writing tool. */
type LimitedTool = { readonly access: Access; readonly arguments: readonly string[] };

interface Limit {
  readonly setting: string;
  /** The arguments whose descriptions mention it. */
  readonly arguments: readonly string[];
  /** What a tool may still write, for a description; undefined if nothing is limited. */
  readonly describe: (limits: Limits, tool: LimitedTool) => string | undefined;
  /** How a request breaks the limit; undefined if it does not. */
  readonly findBreach: (limits: Limits, request: WriteRequest) => string | undefined;
}

const allLimits: readonly Limit[] = [
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS',
    arguments: ['campaign_id'],
    describe: ({ campaigns }) => campaigns && `only ${joinSome(campaigns, maxListed)} may be changed`,
    findBreach: ({ campaigns }, request) =>
      checkArgument(request, 'campaign_id', (value) =>
        campaigns && !campaigns.includes(Number(value))
          ? `only campaigns ${campaigns.join(', ')} may be changed`
          : undefined,
      ),
  },
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS; TRACKER_ALLOW_PREDEFINED=1 allows it',
    arguments: ['landing_page_id', 'offer_id'],
    describe: ({ campaigns, predefined }, tool) =>
      campaigns && !predefined && isSharedByCampaigns(tool) ? 'refused, as other campaigns may use it' : undefined,
    findBreach: ({ campaigns, predefined }, { endpoint: { access, parameters } }) =>
      campaigns && !predefined && isSharedByCampaigns({ access, arguments: Object.keys(parameters) })
        ? `what it changes may run in any campaign, and only campaigns ${campaigns.join(', ')} may be changed`
        : undefined,
  },
  {
    setting: 'TRACKER_ALLOW_URL_HOSTS',
    arguments: ['url'],
    describe: ({ urlHosts }) => urlHosts && `only on ${joinSome(urlHosts, maxListed)}`,
    findBreach: ({ urlHosts }, request) =>
      checkArgument(request, 'url', (url) => urlHosts && findHostProblem(url, urlHosts)),
  },
  limitOnAmount('TRACKER_MAX_BID', 'bid', 'maxBid'),
  limitOnAmount('TRACKER_MAX_PAYOUT', 'payout', 'maxPayout'),
];

/** The limits on an argument of a writing tool, for its description. `setter`: what sets the limits, if not the settings. */
export function limitsOn(argument: string, tool: LimitedTool, limits: Limits, setter?: string): string[] {
  return allLimits.flatMap((limit) => {
    const description = limit.arguments.includes(argument) ? limit.describe(limits, tool) : undefined;
    return description === undefined ? [] : [`Limit: ${description} (${setter ?? limit.setting}).`];
  });
}

/**
 * Checks the parameters as they will be sent. Throws a Failure that names the limit, its setter and the argument.
 *
 * @param tool the tool that was called, which may send the request of a different one
 */
export function checkLimits(tool: string, request: WriteRequest, limits: Limits, setter?: string): void {
  for (const { setting, findBreach } of allLimits) {
    const breach = findBreach(limits, request);
    if (breach === undefined) continue;
    throw new Failure(
      `${tool} was refused, and nothing was sent: ${breach} (${setter ?? setting}).`,
      'Only the person who runs this server can change that limit; ask them.',
    );
  }
}

/** Whether a tool changes predefined records. What belongs to one campaign is changed with that campaign's ID. */
function isSharedByCampaigns(tool: LimitedTool): boolean {
  return tool.access === 'update' && !tool.arguments.includes('campaign_id');
}

/** Every agent reads the descriptions, so they list at most this many values. */
const maxListed = 10;

const maxShown = 200;

/** What is wrong with an argument, with its name and value; undefined if it is not sent or nothing is wrong. */
function checkArgument(
  { endpoint, shown }: WriteRequest,
  argument: string,
  findProblem: (value: string) => string | undefined,
): string | undefined {
  const value = shown[endpoint.parameters[argument]?.wire ?? ''];
  const problem = value === undefined ? undefined : findProblem(value);
  if (value === undefined || problem === undefined) return undefined;
  return `${argument} is ${shorten(JSON.stringify(cleanText(value)), maxShown)}, and ${problem}`;
}

function limitOnAmount(setting: string, argument: string, limit: 'maxBid' | 'maxPayout'): Limit {
  return {
    setting,
    arguments: [argument],
    describe: ({ [limit]: max }) => (max === undefined ? undefined : `at most ${max}`),
    findBreach: ({ [limit]: max }, request) =>
      checkArgument(request, argument, (value) =>
        max !== undefined && Number(value) > max ? `the highest ${argument} that may be set is ${max}` : undefined,
      ),
  };
}

function findHostProblem(url: string, hosts: readonly string[]): string | undefined {
  const host = plainHost(url);
  const isListed = hosts.some((allowed) => {
    const name = allowed.toLowerCase().replace(/\.$/, '');
    return name.startsWith('*.') ? host?.endsWith(name.slice(1)) : host === name;
  });
  if (isListed) return undefined;
  const problem = `only URLs on ${hosts.join(', ')} may be set`;
  if (host !== undefined) return problem;
  return `${problem}, with the host written plainly: no user name, no token, no escape, in lower case if it is not ASCII, and a slash before any @ or \\`;
}

/**
 * A URL that all programs parse the same way: letters, digits and hyphens between single dots, then an optional port, then the end, a
 * path, a query or a fragment. Not allowed are ß and ς, which old and new programs resolve to different names, and @ or \ before the
 * first slash, because programs disagree about where the host ends.
 */
const plainAddress =
  /^https?:\/\/((?:[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.)*[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.?)(?::\d{1,5})?(?=[\/?#]|$)[^\/@\\]*(?:\/|$)/iv;

/** Characters that browsers drop from a URL, or that end the header that redirects to it. */
const dropped = /[\0-\x20\x7f]/;

/** The host of a URL, in ASCII and lower case; undefined if programs could disagree about which host it is. */
export function plainHost(url: string): string | undefined {
  const written = dropped.test(url) ? undefined : plainAddress.exec(url)?.[1];
  if (written === undefined || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  // Only ASCII: programs disagree about other capitals, such as the Kelvin sign, which some lower to k.
  const name = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return name === hostname || name === domainToUnicode(hostname) ? hostname.replace(/\.$/, '') : undefined;
}
