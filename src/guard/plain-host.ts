import { domainToUnicode } from 'node:url';

/**
 * An address that every reader takes apart the same way: letters, digits and hyphens between single dots, then at most a
 * port, then the end, a path, a query or a fragment.
 *
 * Left out on purpose: ß and ς, which older and newer readers look up as different names, and @ or \ ahead of the first
 * slash, where readers disagree about what ends the host.
 */
const plainAddress =
  /^https?:\/\/((?:[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.)*[[\p{L}\p{M}\p{N}\-]--[ßς]]+\.?)(?::\d{1,5})?(?=[\/?#]|$)[^\/@\\]*(?:\/|$)/iv;

/** What is dropped on the way to a browser, or ends the header that leads there. */
const dropped = /[\0-\x20\x7f]/;

/**
 * The host of a URL that leads to the same place for whoever reads it: the tracker, which may fill in tokens, and every
 * browser behind it. It is the host as the URL says it, not as some parser would mend it.
 *
 * @returns in ASCII and lower case, without the dot that may end it; undefined where the URL is not written plainly
 */
export function plainHost(url: string): string | undefined {
  const written = dropped.test(url) ? undefined : plainAddress.exec(url)?.[1];
  if (written === undefined || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  // Only ASCII has capitals that all readers lower alike: the Kelvin sign is a capital k to some.
  const name = written.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return name === hostname || name === domainToUnicode(hostname) ? hostname.replace(/\.$/, '') : undefined;
}
