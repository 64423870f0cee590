import { type Cell, rawCell } from './text/tracker-text.ts';

/** What trackers write into fields that say yes or no, or name a state. */

const answers = wordsFor({ yes: '1 y yes true on', no: '0 n no false off' });
const states = wordsFor({ yes: 'active enabled running', no: 'inactive disabled paused stopped' });

/** @returns undefined if it says neither */
export function yesOrNo(cell: Cell): boolean | undefined {
  return answers.get(wordIn(cell));
}

/**
 * Whether something is active, by the two fields that trackers have for it; if they differ, it is not.
 *
 * @returns undefined if neither field says so in a word that is known
 */
export function saysActive(fields: { readonly inactive: Cell; readonly active: Cell }): boolean | undefined {
  const inactive = answers.get(wordIn(fields.inactive));
  const said = [
    // A state is the same in either field: "inactive" under that name is no double no.
    states.get(wordIn(fields.inactive)),
    states.get(wordIn(fields.active)),
    inactive === undefined ? undefined : !inactive,
    answers.get(wordIn(fields.active)),
  ];
  return said.includes(false) ? false : said.find((one) => one !== undefined);
}

/** The same for those who must not take for active what is not: a word that is not known is no yes. */
export function isSurelyActive(fields: Parameters<typeof saysActive>[0]): boolean | undefined {
  const isSaid = fields.inactive !== null || fields.active !== null;
  return saysActive(fields) ?? (isSaid ? false : undefined);
}

function wordIn(cell: Cell): string {
  return rawCell(cell)?.trim().toLowerCase() ?? '';
}

function wordsFor({ yes, no }: Readonly<Record<'yes' | 'no', string>>): ReadonlyMap<string, boolean> {
  return new Map([
    ...yes.split(' ').map((word) => [word, true] as const),
    ...no.split(' ').map((word) => [word, false] as const),
  ]);
}
