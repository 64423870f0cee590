import { domainToUnicode } from 'node:url';
import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinSome } from '../api/rules.ts';
import { cleanText } from '../api/text/clean-text.ts';
import type { Limits } from './holder.ts';
import type { WriteRequest } from './write.ts';

/** A writing tool, as far as limits tell tools apart. */
type LimitedTool = { readonly access: Access; readonly arguments: readonly string[] };

interface Limit {
  readonly setting: string;
  /** The arguments whose descriptions say it. */
  readonly arguments: readonly string[];
  /** What it lets a tool write, in words; undefined if it limits nothing. */
  readonly said: (limits: Limits, tool: LimitedTool) => string | undefined;
  /** What is wrong, in words, if the request breaks the limit; undefined if it keeps it or there is none. */
  readonly broken: (limits: Limits, request: WriteRequest) => string | undefined;
}

const allLimits: readonly Limit[] = [
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS',
    arguments: ['campaign_id'],
    said: ({ campaigns }) => campaigns && `only ${joinSome(campaigns, maxListed)} may be changed`,
    broken: ({ campaigns }, request) =>
      about(request, 'campaign_id', (value) =>
        campaigns && !campaigns.includes(Number(value))
          ? `only campaigns ${campaigns.join(', ')} may be changed`
          : undefined,
      ),
  },
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS; TRACKER_ALLOW_PREDEFINED=1 allows it',
    arguments: ['landing_page_id', 'offer_id'],
    said: ({ campaigns, predefined }, tool) =>
      campaigns && !predefined && isSharedByCampaigns(tool) ? 'refused, as other campaigns may use it' : undefined,
    broken: ({ campaigns, predefined }, { endpoint: { access, parameters } }) =>
      campaigns && !predefined && isSharedByCampaigns({ access, arguments: Object.keys(parameters) })
        ? `what it changes may run in any campaign, and only campaigns ${campaigns.join(', ')} may be changed`
        : undefined,
  },
  {
    setting: 'TRACKER_ALLOW_URL_HOSTS',
    arguments: ['url'],
    said: ({ urlHosts }) => urlHosts && `only on ${joinSome(urlHosts, maxListed)}`,
    broken: ({ urlHosts }, request) => about(request, 'url', (url) => urlHosts && unlistedHost(url, urlHosts)),
  },
  limitOnAmount('TRACKER_MAX_BID', 'bid', ({ maxBid }) => maxBid),
  limitOnAmount('TRACKER_MAX_PAYOUT', 'payout', ({ maxPayout }) => maxPayout),
];

/** The limits on an argument of a writing tool, for its description. The settings set them, unless `setter` says otherwise. */
export function limitsOn(argument: string, tool: LimitedTool, limits: Limits, setter?: string): string[] {
  return allLimits.flatMap((limit) => {
    const said = limit.arguments.includes(argument) ? limit.said(limits, tool) : undefined;
    return said === undefined ? [] : [`Limit: ${said} (${setter ?? limit.setting}).`];
  });
}

/** Checks the parameters as they will be sent. Throws a Failure that names the limit, its setter and the argument. */
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
function isSharedByCampaigns(tool: LimitedTool): boolean {
  return tool.access === 'update' && !tool.arguments.includes('campaign_id');
}

/** A description is read by every agent: it names so many. */
const maxListed = 10;

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

function limitOnAmount(setting: string, argument: string, maxOf: (limits: Limits) => number | undefined): Limit {
  return {
    setting,
    arguments: [argument],
    said: (limits) => (maxOf(limits) === undefined ? undefined : `at most ${maxOf(limits)}`),
    broken: (limits, request) =>
      about(request, argument, (value) => {
        const max = maxOf(limits);
        return max !== undefined && Number(value) > max
          ? `the highest ${argument} that may be set is ${max}`
          : undefined;
      }),
  };
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
  return `${problem}, with the host written plainly: no user name, no token, no escape, in lower case if it is not ASCII, and a slash ahead of any @ or \\`;
}

/**
 * An address that every reader takes apart the same way: letters, digits and hyphens between single dots, then at most a port, then
 * the end, a path, a query or a fragment. No ß and ς, which older and newer readers look up as different names, and no @ or \ ahead
 * of the first slash, where readers disagree about what ends the host.
 */
const plainAddress =
  /^https?:\/\/((?:[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.)*[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.?)(?::\d{1,5})?(?=[\/?#]|$)[^\/@\\]*(?:\/|$)/iv;

/** What is dropped on the way to a browser, or ends the header that leads there. */
const dropped = /[\0-\x20\x7f]/;

/** The host, in ASCII and lower case, of a URL that leads every reader to the same place; undefined if it is not plain. */
export function plainHost(url: string): string | undefined {
  const written = dropped.test(url) ? undefined : plainAddress.exec(url)?.[1];
  if (written === undefined || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  // Only ASCII has capitals that all readers lower alike: the Kelvin sign is a capital k to some.
  const name = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return name === hostname || name === domainToUnicode(hostname) ? hostname.replace(/\.$/, '') : undefined;
}
