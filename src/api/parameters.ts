import * as z from 'zod';
import { firstHiddenCharacter } from './text/clean-text.ts';

/**
 * The zod types of the API's parameters.
 *
 * They are lenient only if nothing can be lost: a whole number may come as a numeric string, a boolean as 1/0. A parsed value
 * is a boolean, number, string or list of strings, which `encodeParameter` puts on the wire.
 */

/** As many digits as every program takes for a number. */
const maxId = 999_999_999_999_999;
const maxAmount = 1_000_000;

/** `"12"` and `" 12 "` become the number 12; anything else is left to the schema. */
function fromNumericText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(\.\d{1,20})?\s*$/.test(value)) return value;
  // Programs write all digits of a double.
  return /\.\d{11}/.test(value) && String(Number(value)) !== value.trim() ? value : Number(value);
}

const booleanWords = new Map<unknown, boolean>([
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
]);

/** A whole number between two bounds. */
export function whole(minimum: number, maximum: number, describe: string) {
  return z.preprocess(fromNumericText, z.int().min(minimum).max(maximum)).describe(describe);
}

function amount(minimum: number, maximum: number, describe: string) {
  return z.preprocess(fromNumericText, z.number().min(minimum).max(maximum)).describe(describe);
}

/** An ID of the tracker: a positive whole number. */
export const id = (describe: string) => whole(1, maxId, describe);

/** Records that have IDs and names. */
export type Listed = 'campaign' | 'page';

/** The schemas of arguments that also take the name of a record. */
export const takesName = z.registry<{ readonly of: Listed }>();

/** The schemas of lists of IDs, in which a comma inside a number is refused. */
export const holdsIds = z.registry<object>();

/** A list of IDs: `campaign_ids: is.ids(is.campaign(), 500, 'Only these campaigns')`. */
export const ids = <Id extends z.ZodType>(id: Id, most: number, describe: string) =>
  z.array(id).min(1).max(most).describe(describe).register(holdsIds, {});

/** The schemas of texts that are a whole document, such as a file. */
export const holdsDocument = z.registry<object>();

/** The schema only takes the ID: `resolveNames` has replaced names before. */
function idOrName(of: Listed, minimum: number, describe: string) {
  const error = `must be the ID or the name of a ${of}`;
  return z
    .preprocess(fromNumericText, z.int(error).min(minimum, error).max(maxId, error))
    .describe(describe)
    .register(takesName, { of });
}

const idOrNameText = 'ID or exact name';

/**
 * The ID or name of a campaign: `campaign_id: is.campaign()`, or in a list `campaign_ids: z.array(is.campaign())`. A tool has
 * to declare nothing else. `resolveNames` (src/tools/resolve-names.ts) turns names into IDs in every call, so a handler gets a
 * number. The tool's output must have `notices`, which give the campaign's ID and name. Clients see `type: "string"`, because
 * some hosts refuse unions; numbers are accepted too.
 */
export const campaign = (describe = idOrNameText) => idOrName('campaign', 1, describe);

export const campaignOrAll = () => idOrName('campaign', 0, `${idOrNameText}; 0 (default): all campaigns`);

/** The same for a landing page or an offer of the campaign that the call names as `campaign_id`. */
export const page = (describe = idOrNameText) => idOrName('page', 1, describe);

/** A count from 1, such as a level, a path or a number of records. */
export const ordinal = (describe: string) => whole(1, maxAmount, describe);

export const count = (describe: string) => whole(0, maxAmount, describe);

/** An amount of money in the tracker's currency, or another measure that is never negative. */
export const measure = (describe: string) => amount(0, maxAmount, describe);

export const percentage = (describe: string) => amount(0, 100, describe);

/** A percentage of traffic, also with its sign: `"80%"` */
export const trafficPercent = (describe: string) => {
  const withoutSign = (value: unknown) => (typeof value === 'string' ? value.trim().replace(/%$/, '') : value);
  const percent = z.number().min(0).max(100);
  const noFraction = percent.refine((value) => value === 0 || value >= 1, 'must be 0, or from 1 to 100: 80 for 80%');
  return z.preprocess((value) => fromNumericText(withoutSign(value)), noFraction).describe(describe);
};

export const flag = (describe: string) =>
  z.preprocess((value) => booleanWords.get(value) ?? value, z.boolean()).describe(describe);

/**
 * Refuses characters that are not shown, since a person must see exactly what they agree to, and the one in place of characters that
 * were lost, as of a client that does not write UTF-8.
 *
 * @param visiblePart the text without the line breaks that are allowed
 */
function refuseHidden(schema: z.ZodString, visiblePart = (text: string) => text) {
  const hiddenIn = (text: unknown) => firstHiddenCharacter(visiblePart(String(text)));
  return schema
    .refine((text) => hiddenIn(text) === undefined, {
      error: ({ input }) => `must not contain ${hiddenIn(input)}, a control or invisible character`,
    })
    .refine(
      (text) => !text.includes('\ufffd'),
      'must not contain U+FFFD, which stands for a character that was lost: send UTF-8',
    );
}

/** Text on one line that is not blank. */
export const text = (describe: string) =>
  refuseHidden(z.string().max(1000).regex(/\S/, 'must not be empty')).describe(describe);

const lineBreak = /\r\n|[\n\t]/g;

/** Text that may have line breaks and tabs, or be empty, which clears the field. */
export const note = (describe: string) =>
  refuseHidden(z.string().max(10_000), (text) => text.replace(lineBreak, ' ')).describe(describe);

/** What is left over where a text was escaped twice, marked up or cut: a network would read it as a part of a parameter. */
const residues: readonly (readonly [RegExp, string])[] = [
  [/\\u[\da-f]{4}/i, String.raw`must not contain an escape of JSON: \u0026 is written &`],
  [/&(?:amp|#0*38|#x0*26);/i, 'must not contain an escape of HTML: &amp; is written &'],
  [/\\[&_=!?*{}[\]()~#.-]/, String.raw`must not contain an escape of Markdown: \& is written &`],
  [/\\$/, 'must not end with a backslash'],
  [/<\/\w/, 'must not contain a closing tag'],
  [/\*\*$/, 'must not end with a mark of Markdown'],
  [/\u2026/, 'must not contain \u2026, which stands for a part that was cut'],
];

/** A complete URL, "Predefined landing page" and "Predefined offer" in the specification. */
export const url = (describe: string) =>
  refuseHidden(
    z
      .string()
      .max(4000)
      .regex(/^https?:\/\/[^\s/]\S*$/, 'must be a complete URL that starts with http:// or https://')
      .superRefine((text, context) => {
        const [, message] = residues.find(([pattern]) => pattern.test(text)) ?? [];
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      }),
  ).describe(describe);

/** A day as YYYY-MM-DD that exists in the calendar. */
export const date = (describe: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date as YYYY-MM-DD')
    .refine(isCalendarDay, 'must be a day that exists, as YYYY-MM-DD')
    .describe(describe);

/** A SubID `ssssssss_ccc_nnnnnnnn` or a ClickID `nnnnnnnn`; the lengths vary between trackers. */
export const subid = (describe: string) =>
  z
    .preprocess(
      (value) => (Number.isSafeInteger(value) ? String(value) : typeof value === 'string' ? value.trim() : value),
      z
        .string()
        .max(100)
        .regex(
          /^([A-Za-z0-9]+_\d+_)?\d+$/,
          'must be a SubID such as ab12cd34_7_00000345 (letters and digits, campaign ID, click ID) or a ClickID such as 00000345',
        ),
    )
    .describe(describe);

/** A named IANA time zone such as Europe/Berlin; offsets such as +02:00 are not names. */
export const timeZone = (describe: string) =>
  z
    .string()
    .refine(isTimeZone, 'must be a named time zone such as Europe/Berlin, America/New_York or UTC')
    .describe(describe);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, describe: string) =>
  z.enum(values).describe(describe);

/** A list without repetition, with at least one item. */
export const listOf = <const Values extends readonly [string, ...string[]]>(values: Values, describe: string) =>
  z
    .array(z.enum(values))
    .min(1)
    .max(values.length)
    .refine((list) => new Set(list).size === list.length, 'must name each value at most once')
    .describe(describe);

/** Whether a text is a day of the calendar; 2026-02-30 is not. */
export function isCalendarDay(day: string): boolean {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}

/** Whether a text is the name of a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
