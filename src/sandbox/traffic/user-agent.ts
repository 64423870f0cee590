import bowser from 'bowser';
import { BoundedMap } from '../../api/bounded-map.ts';
import type { Origin } from '../rotation/records.ts';

type Equipment = Pick<Origin, 'device' | 'os' | 'browser'>;

const deviceNames: Readonly<Record<string, string>> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  tv: 'TV',
  bot: 'Bot',
};
const unknown: Equipment = { device: null, os: null, browser: null };
const longest = 1000;
const known = new BoundedMap<string, Equipment>({ max: 2000 });

/** Device, operating system and browser by their user agent; null what it does not tell. */
export function readUserAgent(userAgent: string | null): Equipment {
  // A parser of patterns is given only as much as a browser would send.
  const text = userAgent?.slice(0, longest);
  if (!text) return unknown;
  const before = known.get(text);
  if (before) return before;
  const { platform, os, browser } = bowser.parse(text);
  const equipment: Equipment = {
    device: deviceNames[platform.type ?? ''] ?? null,
    os: os.name || null,
    browser: browser.name || null,
  };
  known.set(text, equipment);
  return equipment;
}
