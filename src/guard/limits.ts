import type { Endpoint } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';

/** What an agent may write. An absent limit allows everything. */
export interface Limits {
  readonly campaigns?: readonly number[] | undefined;
  /** Host names; `*.example.com` stands for every subdomain of example.com. */
  readonly urlHosts?: readonly string[] | undefined;
  readonly maxBid?: number | undefined;
  readonly maxPayout?: number | undefined;
}

interface Limit {
  readonly argument: string;
  readonly setting: string;
  /** The limit in words where the value breaks it; undefined where it is kept or not set. */
  readonly broken: (limits: Limits, value: unknown) => string | undefined;
}

const limits: readonly Limit[] = [
  {
    argument: 'campaign_id',
    setting: 'TRACKER_ALLOW_CAMPAIGNS',
    broken: ({ campaigns }, value) =>
      campaigns && !campaigns.includes(Number(value))
        ? `only campaigns ${campaigns.join(', ')} may be changed`
        : undefined,
  },
  {
    argument: 'url',
    setting: 'TRACKER_ALLOW_URL_HOSTS',
    broken: ({ urlHosts }, value) =>
      urlHosts && !isAllowedHost(String(value), urlHosts)
        ? `only URLs on ${urlHosts.join(', ')} may be set`
        : undefined,
  },
  { argument: 'bid', setting: 'TRACKER_MAX_BID', broken: ({ maxBid }, value) => above(maxBid, value, 'bid') },
  {
    argument: 'payout',
    setting: 'TRACKER_MAX_PAYOUT',
    broken: ({ maxPayout }, value) => above(maxPayout, value, 'payout'),
  },
];

function above(most: number | undefined, value: unknown, word: string): string | undefined {
  return most !== undefined && Number(value) > most ? `the highest ${word} that may be set is ${most}` : undefined;
}

/**
 * Checks a write against limits.
 *
 * @param setter what set them; without it the settings did
 * @throws Failure that names the limit, its setting and the argument
 */
export function checkLimits(
  endpoint: Endpoint,
  given: Readonly<Record<string, unknown>>,
  set: Limits,
  setter?: string,
): void {
  for (const { argument, setting, broken } of limits) {
    const value = given[argument];
    const reason = value === undefined ? undefined : broken(set, value);
    if (reason === undefined) continue;
    throw new Failure(
      `${endpoint.name} was refused, and nothing was sent: ${argument} is ${JSON.stringify(value)}, and ${reason} (${setter ?? setting}).`,
      'Only the person who runs this server can change that limit; ask them.',
    );
  }
}

/** Whole host names without case; what a browser would open counts, so user names and odd separators fool nobody. */
function isAllowedHost(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  return hosts.some((allowed) => {
    const name = allowed.toLowerCase().replace(/\.$/, '');
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
  });
}
