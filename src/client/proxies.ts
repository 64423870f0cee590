/** The proxies that the environment names, read like curl does: http:// is assumed, and quotes around a value do not count. */

export interface NamedProxy {
  readonly variable: string;
  /** Undefined if the value cannot be used. */
  readonly url: string | undefined;
  /** Why not: it has this scheme. */
  readonly unsupported?: string;
}

/** The schemes that can be used, as undici knows them. With its socks5 the proxy looks up names, which curl calls socks5h. */
const schemes: ReadonlyMap<string, string> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['socks', 'socks5'],
  ['socks5', 'socks5'],
  ['socks5h', 'socks5'],
]);

/** The proxies as undici's EnvHttpProxyAgent takes them: an empty text means that there is none. Undefined if there is no proxy. */
export function proxyOptions(): Readonly<Record<'httpProxy' | 'httpsProxy' | 'noProxy', string>> | undefined {
  const [http, https] = [namedFor('http'), namedFor('https')];
  if (!http && !https) return undefined;
  return { httpProxy: http?.url ?? '', httpsProxy: https?.url ?? '', noProxy: unproxiedHosts() };
}

/** The proxy for calls to this address, by the rules of undici's EnvHttpProxyAgent; undefined if they go there directly. */
export function proxyFor(url: URL): NamedProxy | undefined {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const unproxied = unproxiedHosts();
  const isDirect = (unproxied.match(/[^,\s]+/g) ?? []).some((entry) => {
    const [, name = entry, ofPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const isPort = !Number(ofPort) || Number(ofPort) === port;
    return isPort && `.${url.hostname}`.endsWith(`.${name.replace(/^\*?\./, '').toLowerCase()}`);
  });
  if (isDirect || unproxied === '*') return undefined;
  // https goes through the proxy for http if there is no other.
  return (url.protocol === 'https:' ? namedFor('https') : undefined) ?? namedFor('http');
}

/** What is wrong with the variable that names the proxy for an address, without its value, which may hold a password. */
export function proxyProblem(url: URL): readonly [happened: string, next: string] | undefined {
  const proxy = proxyFor(url);
  if (!proxy || proxy.url !== undefined) return undefined;
  const { variable, unsupported } = proxy;
  return [
    unsupported === undefined
      ? `The variable ${variable} does not hold the address of a proxy.`
      : `The variable ${variable} names a proxy by ${unsupported}://, which is not supported.`,
    `Give it an address such as http://127.0.0.1:3128, unset it, or add ${url.hostname} to NO_PROXY.`,
  ];
}

const namedFor = (scheme: 'http' | 'https') => namedBy(`${scheme}_proxy`) ?? namedBy('all_proxy');

function namedBy(lowerCase: string): NamedProxy | undefined {
  const [variable, value] = settingOf(lowerCase) ?? [];
  return variable && value ? { variable, ...readProxy(value) } : undefined;
}

function readProxy(value: string): Omit<NamedProxy, 'variable'> {
  const [start = '', given = 'http'] = /^([a-z][a-z\d+.-]{0,19}):\/\/|^\/\//i.exec(value) ?? [];
  const scheme = schemes.get(given.toLowerCase());
  if (scheme === undefined) return { url: undefined, unsupported: given.toLowerCase() };
  // A percent sign in a password is often left as it is.
  const rest = value.slice(start.length).replace(/%(?![\da-f]{2})/gi, '%25');
  // A path means nothing, and undici refuses it.
  return { url: isAddress(rest) ? `${scheme}://${rest.replace(/[/?#].*/s, '')}` : undefined };
}

function isAddress(text: string): boolean {
  try {
    const { hostname, username, password } = new URL(`http://${text}`);
    decodeURIComponent(username + password);
    return /^([\w.-]+|\[[\da-f:.]+\])$/.test(hostname) && !/^https?[:/]/i.test(text);
  } catch {
    return false;
  }
}

/** The hosts that are reached without a proxy, separated by commas. undici reads * as all hosts only if it is the whole text. */
function unproxiedHosts(): string {
  const [, named] = settingOf('no_proxy') ?? [];
  return named === '*' ? named : [named, '127.0.0.1', 'localhost', '[::1]'].filter(Boolean).join(',');
}

/** A variable with its value; in small letters it beats the same one in capital letters. Empty, it is as if it were not set. */
function settingOf(lowerCase: string): readonly [variable: string, value: string] | undefined {
  for (const variable of [lowerCase, lowerCase.toUpperCase()]) {
    const value = process.env[variable]
      ?.trim()
      .replace(/^(["'])(.*)\1$/s, '$2')
      .trim();
    if (value) return [variable, value];
  }
  return undefined;
}
