import { choicesOf, type Setting, settings } from '../../src/config/settings.ts';

/** What kind of thing a person fills in for a setting. */
export type Kind = 'text' | 'number' | 'switch' | 'file';

/** By the word that stands for the value in the help; every other word stands for a text. */
const kinds: Readonly<Record<string, Kind>> = { MS: 'number', AMOUNT: 'number', FILE: 'file' };

/** A setting as a form asks for it. */
export type FormField = ReturnType<typeof formFields>[number];

/** The settings of the server over standard input and output: every one that belongs to no other command. */
export function formFields() {
  return settings
    .filter(({ command }) => command === undefined)
    .map((setting) => ({ ...setting, kind: kindOf(setting), choices: choicesOf(setting.key) }));
}

function kindOf({ flag, value }: Setting): Kind {
  return flag !== undefined && value === undefined ? 'switch' : (kinds[value ?? ''] ?? 'text');
}
