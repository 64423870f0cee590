import { scrypt } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { replaceFile } from '../guard/secrets-file.ts';
import { addFigures, type Figures, type PastDays, type PastSpan, summedMeasures } from '../tools/past-figures.ts';
import { lengthInDays, shiftDays } from '../tools/period.ts';

/** Sales still come in for days that ended fewer days ago than these, so they are asked for each time. */
const lateSaleDays = 7;

const maxAgeDays = 100;

/** What is kept within so long is written together. */
const gatherMs = 1000;

/** The directory of the user's own, if no setting names one. */
export function userPastDays(): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  const inHome = { win32: 'AppData/Local', darwin: 'Library/Caches' }[process.platform as string] ?? '.cache';
  return join(xdg || (process.platform === 'win32' && local) || join(homedir(), inHome), 'tracker-mcp', 'past-days');
}

/** By campaign, then by the first day of the span and its zone. */
const dayFile = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({ readOn: z.iso.date(), figures: z.partialRecord(z.enum(summedMeasures), z.number()) }),
  ),
);

type Day = z.infer<typeof dayFile>;

/**
 * What past days were found to be, in one file a day: the figures of the spans that end on it, by campaign, since spans are what
 * reports are asked for. A span is also the sum of kept ones that follow on one another. Late sales change a past day for a while:
 * a figure serves for as many days as its span had been over when it was read, at least a week; a younger one is not kept.
 *
 * The files are in a directory named by a hash of the tracker's URL and the API key, so that another account never sees them. They
 * are derived and disposable: a damaged one is ignored and written anew, and if two processes write one at once, the last wins.
 * They hold sums of campaigns, and nothing of visitors.
 */
export class PastDayFiles implements PastDays {
  readonly #root: string;
  readonly #tracker: { readonly url: string; readonly apiKey: string };
  #directory: Promise<string> | undefined;
  /** Days that were read a moment ago. */
  readonly #read = new Map<string, Promise<Day>>();
  /** What is to be written, by the last day of its span. */
  readonly #unsaved = new Map<string, Day>();
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** The latest day that was said to be today. */
  #today = '';
  #isSwept = false;
  #isBroken = false;

  constructor(root: string, tracker: { readonly url: string; readonly apiKey: string }) {
    this.#root = root;
    this.#tracker = tracker;
  }

  async find(span: PastSpan, tried = new Set<string>()): Promise<Figures | undefined> {
    const { campaignId, start, end, timezone, asOf } = span;
    if (!isKept(end, asOf) || tried.has(end)) return undefined;
    tried.add(end);
    this.#timer ??= setTimeout(() => void this.save(), gatherMs).unref();
    const read = this.#read.get(end) ?? this.#readDay(end);
    this.#read.set(end, read);
    const spans = Object.entries((await read)[campaignId] ?? {}).filter(
      ([key, { readOn }]) =>
        key === keyOf(key.slice(0, 10), timezone) && key >= start && daysSince(readOn, asOf) <= daysSince(end, readOn),
    );
    // The longest first, which needs the fewest others.
    for (const [key, { figures }] of spans.sort(([one], [other]) => (one < other ? -1 : 1))) {
      const first = key.slice(0, 10);
      if (first === start) return figures;
      const earlier = await this.find({ ...span, end: shiftDays(first, -1) }, tried);
      // A sum over what one of them lacks would be too low.
      if (earlier && summedMeasures.every((name) => name in earlier === name in figures))
        return addFigures([earlier, figures]);
    }
    return undefined;
  }

  keep({ campaignId, start, end, timezone, asOf }: PastSpan, figures: Figures): void {
    if (!isKept(end, asOf) || this.#isBroken) return;
    this.#today = asOf;
    const day = this.#unsaved.get(end) ?? {};
    day[campaignId] = { ...day[campaignId], [keyOf(start, timezone)]: { readOn: asOf, figures } };
    this.#unsaved.set(end, day);
    this.#timer ??= setTimeout(() => void this.save(), gatherMs).unref();
  }

  /** Writes what is kept. It never fails: without a directory that can be written, each process asks anew. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#read.clear();
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#write();
      } catch (error) {
        if (!this.#isBroken)
          console.error(`tracker-mcp: figures of past days are not kept: ${(error as Error).message}`);
        this.#isBroken = true;
      }
    });
    return this.#saving;
  }

  async #write(): Promise<void> {
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    if (unsaved.length === 0 || this.#isBroken) return;
    const directory = await this.#directoryOfAccount();
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (!this.#isSwept) await this.#deleteOld();
    this.#isSwept = true;
    for (const [end, campaigns] of unsaved) {
      const day = await this.#readDay(end);
      for (const [campaignId, spans] of Object.entries(campaigns)) day[campaignId] = { ...day[campaignId], ...spans };
      await replaceFile(join(directory, `${end}.json`), JSON.stringify(day));
    }
  }

  /** What a file says; nothing if there is none, or it is damaged. */
  async #readDay(day: string): Promise<Day> {
    try {
      return dayFile.parse(JSON.parse(await readFile(join(await this.#directoryOfAccount(), `${day}.json`), 'utf8')));
    } catch {
      return {};
    }
  }

  /** Also those of accounts whose key has changed, and what a process left that was ended while it wrote. */
  async #deleteOld(): Promise<void> {
    const oldest = shiftDays(this.#today, -maxAgeDays);
    for (const account of await readdir(this.#root)) {
      const directory = join(this.#root, account);
      const names = /^[\da-f]{32}$/.test(account) ? await readdir(directory).catch(() => []) : [];
      const old = names.filter((name) => /^\d{4}-\d{2}-\d{2}\.json/.test(name) && name < oldest);
      // What cannot be deleted does no harm.
      await Promise.allSettled(old.map((name) => rm(join(directory, name))));
    }
  }

  #directoryOfAccount(): Promise<string> {
    const { url, apiKey } = this.#tracker;
    // Slow on purpose: the name must not let a key be found by trying.
    this.#directory ??= promisify<string, string, number, Buffer>(scrypt)(apiKey, url, 16).then((hash) =>
      join(this.#root, hash.toString('hex')),
    );
    return this.#directory;
  }
}

const daysSince = (day: string, other: string) => lengthInDays(day, other) - 1;

function isKept(end: string, today: string): boolean {
  const age = daysSince(end, today);
  return age >= lateSaleDays && age <= maxAgeDays;
}

/** `2026-06-01 Europe/Berlin`; without a zone the days are the tracker's own. */
function keyOf(start: string, timezone = ''): string {
  return `${start} ${timezone}`;
}
