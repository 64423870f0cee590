import * as z from 'zod';
import { Failure } from '../../api/failure.ts';

const rate = z.number().min(0).max(1);
const amount = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must be whole cents');

const behaviour = z.strictObject({
  click: rate.optional(),
  convert: rate.optional(),
  payout: z
    .tuple([amount, amount])
    .refine(([lowest, highest]) => lowest <= highest, 'must be [lowest, highest]')
    .optional(),
});

const profileSchema = z.strictObject({
  pages: z.record(z.string().regex(/^[1-9]\d*$/), behaviour).default({}),
  default: behaviour.default({}),
});

/** What visitors do on a page. */
export interface Behaviour {
  /** The chance that a visitor clicks the page's call to action. */
  readonly click: number;
  /** The chance that a visitor who reached the offer converts. */
  readonly convert: number;
  /** A conversion pays from the first amount to the second, in dollars and whole cents. */
  readonly payout: readonly [lowest: number, highest: number];
}

export interface Profile {
  /** The IDs of the pages that it says something about. */
  readonly pages: readonly number[];
  readonly on: (pageId: number) => Behaviour;
}

const usual: Behaviour = { click: 0.4, convert: 0.05, payout: [20, 30] };

/**
 * Reads a profile: `{"pages": {"<page ID>": {"click": 0.4, "convert": 0.05, "payout": [20, 30]}}, "default": {...}}`. What a
 * page leaves out is that of `default`, and what that leaves out the figures above.
 * Throws a Failure that says what is wrong in the text.
 */
export function readProfile(json: string): Profile {
  const parsed = profileSchema.safeParse(parseJson(json));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, code, message }) => {
      const problem = code === 'invalid_key' ? 'is no page ID' : message;
      return `${path.join('.') || 'the profile'}: ${problem}`;
    });
    throw new Failure(
      `The profile is not valid. ${problems.join('; ')}.`,
      'An example: {"pages": {"3": {"convert": 0.1, "payout": [20, 30]}}, "default": {"click": 0.4, "convert": 0.05}}',
    );
  }
  const { pages, default: others } = parsed.data;
  const on = (pageId: number) => Object.assign({ ...usual }, others, pages[pageId]);
  return { pages: Object.keys(pages).map(Number), on };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure(`The profile is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}
