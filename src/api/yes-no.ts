import { type Cell, rawCell } from './text/tracker-text.ts';

/** How trackers write yes and no, and states. */
const answers = wordsFor({
  yes: '1 y yes true t on x clicked converted sale sold ja oui sí si sim sì vero verdadero tak da да evet ✓ ✔ ☑ ✅',
  no: '0 n no false f off nein nee non não falso nie ne нет hayır ✗ ✘ ☐ ❌',
});
const states = wordsFor({ yes: 'active enabled running', no: 'inactive disabled paused stopped' });

/** @returns undefined if it is neither */
export function yesOrNo(cell: Cell): boolean | undefined {
  return answers.get(wordIn(cell));
}

/** The same in a text that is not a tracker's. */
export const yesOrNoIn = (text: string): boolean | undefined => answers.get(text.trim().toLowerCase());

/**
 * Whether something is active, by the two fields that trackers have for it. If they contradict each other, it is not.
 *
 * @returns undefined if neither field has a known word
 */
export function activeState(fields: { readonly inactive: Cell; readonly active: Cell }): boolean | undefined {
  const inactive = answers.get(wordIn(fields.inactive));
  const verdicts = [
    // A state means the same in either field: `inactive: inactive` is not a double negative.
    states.get(wordIn(fields.inactive)),
    states.get(wordIn(fields.active)),
    inactive === undefined ? undefined : !inactive,
    answers.get(wordIn(fields.active)),
  ];
  return verdicts.includes(false) ? false : verdicts.find((verdict) => verdict !== undefined);
}

/** The same for callers that must be sure: an unknown word counts as inactive. */
export function isSurelyActive(fields: Parameters<typeof activeState>[0]): boolean | undefined {
  const isEmpty = fields.inactive === null && fields.active === null;
  return activeState(fields) ?? (isEmpty ? undefined : false);
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
