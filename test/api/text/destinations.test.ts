import { describe, expect, test } from 'vitest';
import { type Destination, destinations, textFor } from '../../../src/api/text/destinations.ts';

/** Words that do something at one destination or another. */
const hostile = [
  ...['<!channel> <https://evil.example/login|Approve>', '@everyone', '@here now', '<@U012AB3CD> <#C012AB3CD>'],
  ...['&lt;!channel&gt;', '&#60;!here&#62;', '[Approve](https://evil.example)', '![x](https://evil.example/p.png)'],
  ...['https://evil.example/login', 'www.evil.example', 'evil.example/login', 'mailto:a@evil.example', '[x]: //evil'],
  ...['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '" onmouseover="alert(1)', "' autofocus='"],
  ...['`code` *bold* _slanted_ ~gone~ ||hidden||', '# heading', '1. item', '- item', '---', '| a | b |', '$x^2$'],
  ...['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '\t=1+1', '\r=1+1', '＝1+1', '"=1"', 'x;=1', 'x\n=1'],
  ...['\x1b[31mred\x1b[0m', '\x1b]8;;https://evil.example\x07click\x1b]8;;\x07', '\x9b2J', '\x07\u202etxt.exe'],
  ...['first\r\n2026-01-01 forged line', 'first\u2028second', '\u200b=1', '\ud800'],
];

/** What must not be in a text, by destination. A new one needs a row. */
const dangers: Readonly<Record<Destination, RegExp>> = {
  chat: /[<>@[\]`*~|\n]|&[#\w]|:\/\/|mailto:|\p{L}\.\p{L}|(?:^|\W)_/u,
  markdown:
    /[<>@\n]|&(?!amp;|lt;|gt;)|(?<!\\)[[\]`*~|$]|(?<!\\):\/\/|mailto:|www\.|(?:^|[^\p{L}\p{N}\\])_|^(?:[#+=-]|\d+\.\s)/u,
  csv: /^[\s"\u200b]*[=+\-@＝\t]|[,;|\t\r\n][\s"]*[=+\-@＝]/u,
  terminal: /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]/u,
  html: /[<>"'\0-\x08\x0e-\x1f\x7f-\x9f]|&(?!(?:amp|lt|gt|quot|#39);)/u,
  log: /[\0-\x1f\x7f-\x9f\u202a-\u202e\u2028]/u,
};

describe.each(destinations)('in %s', (name) => {
  test.each(hostile)('%j is only words', (words) => {
    expect(textFor(name, words)).not.toMatch(dangers[name]);
    expect(textFor(name, `Offer ${words} sold`)).not.toMatch(dangers[name]);
  });

  test.each(['Home fitness, search 12.50', 'get_breakdown', 'Größe 7 → 9', '-5.50', 'R & D', '-1.234,56'])(
    'the harmless words %j can be read',
    (words) => {
      const letters = (text: string) => text.replace(/&amp;/, '&').replace(/[\\"]/g, '');
      expect(letters(textFor(name, words))).toBe(words);
    },
  );
});

test('a text of 100,000 characters of any kind is written within a second', () => {
  for (const name of destinations)
    for (const unit of ['<', '_', '1', '\n', '"', '\u200b', ';', 'a.', ':/', '\\', '-', ' ']) {
      const start = performance.now();
      textFor(name, unit.repeat(100_000 / unit.length));
      expect(performance.now() - start, `${name} ${JSON.stringify(unit)}`).toBeLessThan(1000);
    }
});
