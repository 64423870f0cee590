import { join } from 'node:path';
import * as z from 'zod';
import { accountName } from '../client/account-name.ts';
import { whyNot } from '../files/at-path.ts';
import { listFiles, listFolders, readText } from '../files/read-file.ts';
import { leftOver, makeFolder, removeFile, replaceFile } from '../files/write-file.ts';
import {
  addFigures,
  type Figures,
  type KeptReport,
  type PastDays,
  type PastSpan,
  summedMeasures,
} from '../tools/past-figures.ts';
import { lengthInDays, shiftDays } from '../tools/period.ts';

/** Younger days are always read from the tracker: their sales still come in. */
const minAgeDays = 7;

const maxAgeDays = 100;

/** The names of the folders and files that are written here, with those that a killed process left. */
const accountForm = /[\da-f]{32}/;
const dayForm = new RegExp(String.raw`\d{4}-\d{2}-\d{2}\.json(${leftOver})?`);

/** Figures are written together after this time. */
const saveDelayMs = 1000;

/** How far profit is from revenue minus cost if a tracker rounds all three to whole numbers. */
const maxRounding = 1.5;

/** Whether figures can be true. Others are not used: somebody changed the file. */
function arePossible(figures: Figures): boolean {
  const { views = 0, clicks = 0, conversions = 0, cost = 0, revenue = 0 } = figures;
  const { profit = revenue - cost } = figures;
  const isKnown = figures.revenue !== undefined && figures.cost !== undefined;
  return (
    [views, clicks, conversions].every((count) => Number.isInteger(count)) &&
    [views, clicks, conversions, cost, revenue].every((figure) => figure >= 0) &&
    (!isKnown || Math.abs(revenue - cost - profit) <= maxRounding)
  );
}

const keptFigures = z.partialRecord(z.enum(summedMeasures), z.number()).refine(arePossible);

/** The first day of a span, a blank and its time zone, if it has one. */
const spanKey = z.string().refine((key) => key[10] === ' ' && z.iso.date().safeParse(key.slice(0, 10)).success);

/** By campaign, then by span. */
const keptSpan = z.object({
  readOn: z.iso.date(),
  figures: keptFigures,
  uses: z.object({ comma: z.boolean(), learned: z.boolean() }).optional(),
});
const dayFile = z.record(z.string(), z.record(spanKey, keptSpan));

type Day = z.infer<typeof dayFile>;

/**
 * Keeps figures of past days, in one file for each day: the figures of the spans that end on it, by campaign. A longer span is the sum
 * of consecutive kept spans. Late sales change a past day for a while, so figures are used for as many days as had passed between the
 * end of their span and the read, which must be a week or more.
 *
 * The files are in a directory named by a hash of the tracker’s URL and the API key, so that another account never sees them. They are
 * a cache: a damaged file is ignored and replaced, and of two processes that write a file at once, the last wins. They hold sums of
 * campaigns, and nothing about visitors.
 */
export class PastDayFiles implements PastDays {
  readonly #root: string;
  readonly #tracker: { readonly url: string; readonly apiKey: string };
  #directory: Promise<string> | undefined;
  /** The days read since the last save: all campaigns of an answer need the same few. */
  readonly #read = new Map<string, Promise<Day>>();
  readonly #unsaved = new Map<string, Day>();
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #today = '';
  #hasDeletedOld = false;
  #hasFailed = false;

  constructor(root: string, tracker: { readonly url: string; readonly apiKey: string }) {
    this.#root = root;
    this.#tracker = tracker;
  }

  async find(span: PastSpan, tried = new Set<string>()): Promise<KeptReport | undefined> {
    const { campaignId, start, end, timezone, asOf } = span;
    if (!isKept(end, asOf) || tried.has(end)) return undefined;
    tried.add(end);
    this.#saveLater();
    const read = this.#read.get(end) ?? this.#readDay(end);
    this.#read.set(end, read);
    const spans = Object.entries((await read)[campaignId] ?? {}).filter(
      ([key, { readOn }]) =>
        key === keyOf(key.slice(0, 10), timezone) &&
        key >= start &&
        key.slice(0, 10) <= end &&
        readOn <= asOf &&
        daysSince(readOn, asOf) <= daysSince(end, readOn),
    );
    // The longest span first: it needs the fewest others.
    for (const [key, { figures, uses }] of spans.sort(([one], [other]) => (one < other ? -1 : 1))) {
      const first = key.slice(0, 10);
      if (first === start) return { figures, uses };
      const earlier = await this.find({ ...span, end: shiftDays(first, -1) }, tried);
      // If one of them lacks a measure, the sum would be too low.
      if (earlier && summedMeasures.every((name) => name in earlier.figures === name in figures)) {
        return { figures: addFigures([earlier.figures, figures]), uses: joinUses(earlier.uses, uses) };
      }
    }
    return undefined;
  }

  keep({ campaignId, start, end, timezone, asOf }: PastSpan, { figures, uses }: KeptReport): void {
    if (!isKept(end, asOf) || this.#hasFailed || !arePossible(figures)) return;
    this.#today = asOf;
    const day = this.#unsaved.get(end) ?? {};
    day[campaignId] = { ...day[campaignId], [keyOf(start, timezone)]: { readOn: asOf, figures, uses } };
    this.#unsaved.set(end, day);
    this.#saveLater();
  }

  #saveLater(): void {
    this.#timer ??= setTimeout(() => void this.save(), saveDelayMs).unref();
  }

  /** Writes what is kept. It never fails: if the directory cannot be written, each process asks the tracker. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#read.clear();
    this.#saving = this.#saving
      .then(() => this.#write())
      .catch((error: unknown) => {
        if (!this.#hasFailed) {
          console.error(
            `tracker-mcp: figures of past days are not kept: ${this.#root} cannot be used (${whyNot(error)}).`,
          );
        }
        this.#hasFailed = true;
      });
    return this.#saving;
  }

  async #write(): Promise<void> {
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    if (unsaved.length === 0 || this.#hasFailed) return;
    const directory = await this.#accountDirectory();
    await makeFolder(directory);
    if (!this.#hasDeletedOld) await this.#deleteOld();
    this.#hasDeletedOld = true;
    for (const [end, campaigns] of unsaved) {
      const day = await this.#readDay(end);
      for (const [campaignId, spans] of Object.entries(campaigns)) day[campaignId] = { ...day[campaignId], ...spans };
      await replaceFile(join(directory, `${end}.json`), JSON.stringify(day), { isSecret: true });
    }
  }

  /** The content of a file; empty if there is none, or it is damaged. */
  async #readDay(day: string): Promise<Day> {
    try {
      const file = join(await this.#accountDirectory(), `${day}.json`);
      return dayFile.parse(JSON.parse(await readText(file, { isKept: true })));
    } catch {
      return {};
    }
  }

  /** Deletes old files, of accounts with an earlier key and of interrupted writes as well. */
  async #deleteOld(): Promise<void> {
    const oldest = shiftDays(this.#today, -maxAgeDays);
    for (const account of await listFolders(this.#root, accountForm)) {
      const directory = join(this.#root, account);
      const names = await listFiles(directory, dayForm).catch(() => []);
      const old = names.filter((name) => name < oldest);
      // A file that cannot be deleted does no harm.
      await Promise.allSettled(old.map((name) => removeFile(join(directory, name))));
    }
  }

  #accountDirectory(): Promise<string> {
    this.#directory ??= accountName(this.#tracker).then((account) => join(this.#root, account));
    return this.#directory;
  }
}

const joinUses = (one: KeptReport['uses'], other: KeptReport['uses']): KeptReport['uses'] =>
  one && other ? { comma: one.comma || other.comma, learned: one.learned || other.learned } : (one ?? other);

const daysSince = (day: string, other: string) => lengthInDays(day, other) - 1;

function isKept(end: string, today: string): boolean {
  const age = daysSince(end, today);
  return age >= minAgeDays && age <= maxAgeDays;
}

/** `2026-06-01 Europe/Berlin`; without a zone the days are the tracker’s own. */
function keyOf(start: string, timezone = ''): string {
  return `${start} ${timezone}`;
}
