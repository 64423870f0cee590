import * as z from 'zod';
import { isTimeZone } from '../api/parameters.ts';
import { parseJson } from '../api/text/json.ts';

/**
 * The kinds of values that settings have, as a configuration file holds them: JSON. The text of a flag or a variable is made one by
 * `parseText` first. Each schema says what is right in one sentence, whatever is wrong.
 */

export const text = z.string('must be a text');

export const switchValue = z.boolean('must be true or false; as a variable 1/0 or true/false').default(false);

export const choice = <const Values extends readonly [string, ...string[]]>(values: Values) => {
  const error = `must be one of ${values.join(', ')}`;
  return z.string(error).toLowerCase().pipe(z.enum(values, error));
};

export const whole = (minimum: number, maximum: number, what: string) => {
  const error = `must be ${what}, from ${minimum} to ${maximum}`;
  return z.int(error).min(minimum, error).max(maximum, error);
};

export const port = whole(0, 65_535, 'a port');

const amountError = 'must be a number, an amount such as 0.50';
export const amount = z.number(amountError).min(0, amountError).max(999_999_999, amountError);

/** A list of at least one; as text its items are parted by comma. */
export const list = <Item extends z.ZodType>(item: Item, error = 'must be a list of texts') =>
  z.array(item, error).min(1, 'must not be empty');

const matching = (error: string, check: RegExp | ((value: string) => boolean)) =>
  z.string(error).refine((value) => (check instanceof RegExp ? check.test(value) : check(value)), error);

export const listMatching = (error: string, check: Parameters<typeof matching>[1]) =>
  list(matching(error, check), error);

export const campaignIds = list(z.int('must be campaign IDs').min(1, 'must be campaign IDs'), 'must be campaign IDs');

/** A program and its arguments: no shell reads them, so they need no quoting. As text it is JSON too. */
const programError = 'must be a JSON list of a program and its arguments, such as ["pass", "show", "tracker"]';
export const program = z.array(z.string(programError), programError).min(1, programError).meta({ isJsonText: true });

export const timeZone = matching('must be a named time zone such as Europe/Berlin', isTimeZone);

export const currency = matching('must be the ISO 4217 code of a currency, such as USD or EUR', (code) =>
  Intl.supportedValuesOf('currency').includes(code.toUpperCase()),
).toUpperCase();

/** Scheme, host and port of web pages; one that names more or less would never match. */
export const origins = listMatching(
  'must be origins such as https://app.example.com',
  (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
);

export const redisUrls = listMatching(
  'must be URLs such as redis://127.0.0.1:6379',
  (url) => /^rediss?:\/\/./.test(url) && URL.canParse(url),
).refine((urls) => new Set(urls.map((url) => url.split(':')[0])).size <= 1, 'must be all redis:// or all rediss://');

export const webUrl = (error: string) => z.url({ protocol: /^https?$/, error });

const urlThat = (error: string, check: (url: URL) => boolean) =>
  z.refine<string>((value) => URL.canParse(value) && check(new URL(value)), { error, abort: true });

/** The URL of a tracker as calls put their path behind it. */
export const baseUrl = z.string('must be a URL').check(
  urlThat('must be a URL that starts with http:// or https://', ({ protocol }) => /^https?:$/.test(protocol)),
  urlThat('must end with the path: no ? and no #', ({ search, hash }) => !search && !hash),
  urlThat('must hold no user name or password', ({ username, password }) => !username && !password),
  z.overwrite((value) => {
    const { origin, pathname } = new URL(value);
    return origin + pathname.replace(/\/+$/, '');
  }),
);

/** A schema without what makes it optional, gives it a default or spells it in another way. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.out) : schema;
}

const booleans: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** What a text says by the schema of its setting; text as it is if it says none of that, which the schema then refuses. */
export function parseText(text: string, schema: z.core.$ZodType): unknown {
  const kind = bare(schema);
  if (kind instanceof z.ZodBoolean) return booleans[text.toLowerCase()] ?? text;
  if (kind instanceof z.ZodNumber) return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
  if (!(kind instanceof z.ZodArray)) return text;
  if (kind.meta()?.['isJsonText']) return parseJson(text) ?? text;
  const items = text.split(',').map((item) => item.trim());
  return items.filter(Boolean).map((item) => parseText(item, kind.element));
}
