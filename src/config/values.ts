import * as z from 'zod';
import { isTimeZone } from '../api/parameters.ts';
import { parseJson } from '../api/text/json.ts';

/** The kinds of values that settings have. Each reads a text; a configuration file holds it as JSON of its form. */

/** JSON Schema of a value in a configuration file. */
export interface JsonForm {
  readonly type: 'string' | 'boolean' | 'number' | 'integer' | 'array';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonForm;
  readonly minItems?: number;
  /** Whether the text is JSON too, and not the items by comma. */
  readonly isJsonText?: true;
}

const stringForm: JsonForm = { type: 'string' };

function writtenAs<Schema extends z.ZodType>(schema: Schema, json: JsonForm): Schema {
  return schema.meta({ json });
}

/** The form of a schema: its own, or that of what it wraps; a text if there is none. */
export function jsonFormOf(schema: z.ZodType): JsonForm {
  const form = schema.meta()?.['json'] as JsonForm | undefined;
  const { innerType, in: first } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = innerType ?? first;
  return form ?? (inner ? jsonFormOf(inner) : stringForm);
}

const words = { string: 'text', boolean: 'true or false', number: 'a number', integer: 'a whole number' } as const;

/** The form in words: "true or false", "a list of numbers". */
export function describeForm({ type, items, enum: values }: JsonForm): string {
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return type === 'array' ? `a list of ${items?.type === 'string' ? 'texts' : 'numbers'}` : words[type];
}

/** A value of a file as the text that its schema reads; undefined if it has another form. */
export function textOf(value: unknown, { type, items = stringForm, isJsonText }: JsonForm): string | undefined {
  if (type !== 'array')
    return typeof value === (type === 'integer' ? 'number' : type) ? String(value).trim() : undefined;
  if (!Array.isArray(value)) return undefined;
  if (isJsonText) return JSON.stringify(value);
  const texts = value.map((item) => textOf(item, items));
  return texts.some((text) => text === undefined || text.includes(',')) ? undefined : texts.join(',');
}

const booleans: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** A switch, which is off by default. */
export const switchValue = writtenAs(
  z
    .string()
    .refine((text) => text.toLowerCase() in booleans, 'must be 1/0 or true/false')
    .transform((text) => booleans[text.toLowerCase()] ?? false)
    .default(false),
  { type: 'boolean' },
);

export const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  writtenAs(z.string().toLowerCase().pipe(z.enum(values)), { type: 'string', enum: values });

/** A whole number in digits. */
export const whole = (minimum: number, maximum: number, what: string) =>
  writtenAs(
    z
      .string()
      .refine(
        (text) => /^\d{1,6}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
        `must be ${what}, from ${minimum} to ${maximum}`,
      )
      .transform(Number),
    { type: 'integer', minimum, maximum },
  );

export const amount = writtenAs(
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be an amount such as 0.50')
    .transform(Number),
  { type: 'number', minimum: 0 },
);

/** A list by comma; an empty one would allow nothing, which is never meant. */
export const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  writtenAs(
    z
      .string()
      .transform((text) =>
        text
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean),
      )
      .pipe(z.array(item).min(1, 'must not be empty')),
    { type: 'array', items: jsonFormOf(item), minItems: 1 },
  );

export const campaignId = writtenAs(
  z
    .string()
    .regex(/^[1-9]\d*$/, 'must be campaign IDs')
    .transform(Number),
  { type: 'integer', minimum: 1 },
);

/** A program and its arguments: no shell reads them, so they need no quoting. */
export const program = writtenAs(
  z.string().transform((text, context): readonly string[] => {
    const words = parseJson(text);
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON list of a program and its arguments, such as ["pass", "show", "tracker"]',
    });
    return z.NEVER;
  }),
  { type: 'array', items: stringForm, minItems: 1, isJsonText: true },
);

export const timeZone = z.string().refine(isTimeZone, 'must be a named time zone such as Europe/Berlin');

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const currency = z
  .string()
  .toUpperCase()
  .refine((code) => currencies.has(code), 'must be the ISO 4217 code of a currency, such as USD or EUR');

/** Scheme, host and port of web pages; one that names more or less would never match. */
export const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be origins such as https://app.example.com',
  );

const redisUrl = z
  .string()
  .refine((text) => /^rediss?:\/\/./.test(text) && URL.canParse(text), 'must be URLs such as redis://127.0.0.1:6379');

/** The nodes of one Redis. */
export const redisUrls = list(redisUrl).refine(
  (urls) => new Set(urls.map((url) => url.split(':')[0])).size <= 1,
  'must be all redis:// or all rediss://',
);

/** The URL of a tracker as calls put their path behind it. */
export const baseUrl = z.string().transform((text, context): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem =
    !url || !/^https?:$/.test(url.protocol)
      ? 'must be a URL that starts with http:// or https://'
      : url.search || url.hash
        ? 'must end with the path: no ? and no #'
        : url.username || url.password
          ? 'must hold no user name or password'
          : undefined;
  if (problem) context.addIssue({ code: 'custom', message: problem });
  return url ? url.origin + url.pathname.replace(/\/+$/, '') : '';
});
