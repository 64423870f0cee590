import { describe, expect, it } from 'vitest';
import { plainHost } from '../../src/guard/limits.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
/** Some programs read straße as strasse, even if only one of them is listed. */
const urlHosts = ['good.com', '*.wild.com', 'XN--BCHER-KVA.de', 'xn--strae-oqa.de', 'Dotted.com.', '127.0.0.1'];
const { call } = await connect({ url: tracker.url, policy: { limits: { urlHosts } } });

/** URLs separated by spaces. */
const urlsIn = (text: string) => text.trim().split(/\s+/);

/** URLs in which some program finds a host that is not allowed. */
const attacks: Readonly<Record<string, readonly string[]>> = {
  'a user name': [
    ...urlsIn(`
      https://user@good.com/ https://user:password@good.com/ https://evil.com@good.com/ https://good.com@evil.com/
      https://good.com:443@evil.com/ https://good.com:x@evil.com:443/ https://@good.com/ https://:@good.com/
      https://a@b@good.com/ https://good.com%40evil.com/ https://evil.com%40good.com/ https://good.com%2540evil.com/
      https://evil.com＠good.com/ https://good.com﹫evil.com/ https://good.com&#64;evil.com/ https://good.com?@evil.com/
      https://good.com#@evil.com/ https://good.com#x@evil.com https://{!subid!}@good.com/ https://{keyword}:x@good.com/
    `),
  ],
  'a token instead of the host': [
    ...urlsIn(`
      http://{!subid!} https://{keyword}/ https://{keyword}.wild.com/ https://a.{keyword}.wild.com/
      https://good.com{keyword}/ https://good.com.{keyword}/ https://good.com:{keyword}/ https://good.com:8{keyword}/
      https://{keyword}good.com/ https://[keyword].wild.com/ https://[[keyword]].wild.com/ https://$keyword.wild.com/
      https://!keyword!.wild.com/ https://a!.wild.com/ https://%7Bkeyword%7D.wild.com/ https://%7bkeyword%7d.wild.com/
      https://%257Bkeyword%257D.wild.com/ https://%KEYWORD%.wild.com/ https://_KEYWORD_.wild.com/
      https://<keyword>.wild.com/ https://(keyword).wild.com/ https://|keyword|.wild.com/ https://*keyword*.wild.com/
      https://~keyword~.wild.com/ https://^keyword^.wild.com/ https://'keyword'.wild.com/ https://"keyword".wild.com/
      https://a=b.wild.com/ https://a,b.wild.com/ https://a;b.wild.com/ https://a+b.wild.com/
      https://｛keyword｝.wild.com/ https://#KEYWORD#.wild.com/ https://?x=.wild.com/
    `),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a token of a tracker, not of JavaScript.
    'https://${keyword}.wild.com/',
    'https://`keyword`.wild.com/',
  ],
  'separators that programs read differently': [
    ...urlsIn(String.raw`
      https://good.com\@evil.com/ https://evil.com\@good.com/ https://evil.com\.good.com/ https://good.com\evil.com
      https://\good.com/ https://\\good.com/ https:\\good.com/ https:/\good.com/ http:/\evil.com http:\/evil.com
      https:good.com/ https:/good.com/ https:///good.com/ https:////good.com/ https://good.com％2Fevil.com/
      https://good.com／.evil.com/ https://good.com?\@evil.com https://good.com%2F.evil.com/
      https://good.com%5C@evil.com/ https://evil.com%23.good.com/ https://evil.com%3F.wild.com/ https://good.com:/
      https://good.com:443:80/ https://good.com:99999/ https://good.com:-1/ https://good.com：80/
      https://good.com;evil.com/ https://good.com,evil.com/ //good.com/ good.com ftp://good.com/
      javascript://good.com/%0aalert(1) data://good.com/ https://https://good.com/ x-https://good.com/
    `),
  ],
  'characters that are dropped before the host is resolved': [
    'https://good.com\t/',
    'https://go\tod.com/',
    'https://go\nod.com/',
    'https://go\r\nod.com/',
    'ht\ntps://good.com/',
    'https:\t//good.com/',
    ' https://good.com/',
    '\u0000https://good.com/',
    '\u001fhttps://good.com/',
    'https://good.com\u0000.evil.com/',
    'https://good.com/\u0001x',
    'https://good.com/ x',
    'https://good.com/\r\nLocation: https://evil.com',
    'https://good.com /',
    'https://good.com\u00a0.evil.com/',
    'https://go\u00adod.com/',
    'https://go\u200bod.com/',
    'https://go\u200dod.com/',
    'https://go\u2060od.com/',
    'https://\ufeffgood.com/',
    'https://go\ufe0fod.com/',
    'https://\u202egood.com/',
    'https://go%00od.com/',
    'https://go%0aod.com/',
  ],
  'a host written in another alphabet or number': [
    ...urlsIn(`
      https://good。com/ https://good．com/ https://good｡com/ https://ｇｏｏｄ.com/ https://ⓖⓞⓞⓓ.com/ https://good.c℀m/
      https://good%2ecom/ https://%67ood.com/ https://%67%6f%6f%64.com/ https://straße.de/
      https://xn--bcher-kva.de.evil.com/ https://xn--good-.com/ https://2130706433/ https://0x7f000001/
      https://0x7f.0.0.1/ https://0177.0.0.1/ https://127.1/ https://127.0.0.1.evil.com/ https://127.0.0.2/
      https://１２７.0.0.1/ https://[::1]/ https://[::ffff:127.0.0.1]/ https://[good.com]/ https://[v1.good.com]/
      https://[::1%25good.com]/
    `),
    'https://goо\u0064.com/',
    'https://\u212aood.com/',
    'https://bu\u0308cher.de/',
  ],
  'another host': [
    ...urlsIn(`
      https://evil.com/ https://evil.com/good.com https://evil.com?good.com https://evil.com#good.com
      https://good.com.evil.com/ https://notgood.com/ https://www.good.com/ https://good.com.. https://.good.com/
      https://good..com/ https://wild.com/ https://.wild.com/ https://..wild.com/ https://a..wild.com/
      https://evilwild.com/ https://wild.com.evil.com/ https://good.co/ https://good.comm/ https:/// https://
    `),
    '',
  ],
};

/** Each is sent unchanged. */
const allowed = [
  'https://good.com',
  'http://good.com/path?x=1',
  'https://GOOD.COM/',
  'https://good.com./',
  'https://good.com:8443/',
  'https://good.com?sub={!subid!}',
  'https://good.com#top',
  'https://good.com/?u=https://evil.com',
  'https://good.com/{keyword}/[x]/$1?k={keyword}&s={!subid!}#{t}',
  'https://good.com/user@evil.com',
  'https://good.com/?mail=a@b.example',
  'https://good.com/a\\b',
  'https://good.com//evil.com',
  'https://a.wild.com/',
  'https://a-1.b.WILD.com/',
  'https://bücher.de/',
  'https://xn--bcher-kva.de/',
  'https://xn--strae-oqa.de/',
  'https://dotted.com/',
  'https://127.0.0.1:8080/x',
];

describe.each(Object.entries(attacks))('%s', (_, urls) => {
  it.each(urls.map((url) => [JSON.stringify(url), url]))('is refused: %s', async (_, url) => {
    const { isError } = await call('add_offer', { name: 'Gym', url });
    expect(isError).toBe(true);
    expect(tracker.taken()).toEqual([]);
    // The check of arguments refuses some of them first; the guard must refuse all.
    const host = plainHost(url);
    const isListed =
      host !== undefined &&
      (/^(good\.com|127\.0\.0\.1|dotted\.com|xn--.*\.de)$/.test(host) || /.\.wild\.com$/.test(host));
    expect(isListed).toBe(false);
  });
});

it.each(allowed)('%s may be set, and is sent unchanged', async (url) => {
  const { isError } = await call('add_offer', { name: 'Gym', url });
  expect(isError).toBeFalsy();
  const sent = Object.fromEntries(tracker.taken()[0]?.parameters ?? []);
  expect(sent['url']).toBe(url);
  expect(plainHost(url)).toBe(new URL(url).hostname.replace(/\.$/, ''));
});

it('the refusal explains which hosts are allowed, and how to write them', async () => {
  const { content } = await call('add_offer', { name: 'Gym', url: 'https://{keyword}/' });
  const message = JSON.stringify(content);
  expect(message).toContain('TRACKER_ALLOW_URL_HOSTS');
  expect(message).toContain('no user name, no token');
});

it('tokens and user names are allowed if hosts are not limited', async () => {
  const unlimited = await connect({ url: tracker.url });
  await unlimited.data('add_offer', { name: 'Gym', url: 'https://user@{keyword}.example.com/' });
});
