import { Failure } from '../../api/failure.ts';
import { type GivenSettings, isSet } from '../../config/read-settings.ts';
import { parseText, settings } from '../../config/settings.ts';
import { type Flags, readGiven } from '../../config.ts';
import { print, printToStderr } from '../process.ts';
import { askLine, askSecret, askYes } from '../terminal/ask.ts';

/** What `install` asks a person. Nothing that a flag or a variable sets is asked. */

/** The settings of an entry: as given, and as answered. */
export interface Answers {
  flags: Flags;
  environment: NodeJS.ProcessEnv;
}

type Key = keyof Flags;

/** The settings that give a key. */
const keySettings = ['apiKey', 'apiKeyFile', 'keyCommand'] as const;

const variableOf = (wanted: Key) => settings.find(({ key }) => key === wanted)?.variable ?? '';

/** An entry with one of these needs no key file. */
export const keyVariables: readonly string[] = keySettings.map(variableOf);

const has = ({ flags, environment }: Answers, ...keys: readonly Key[]) => {
  const given = readGiven(flags, environment);
  return keys.some((key) => isSet(given[key]));
};

const answer = (answers: Answers, key: Key, text: string) => {
  answers.flags = { ...answers.flags, [key]: text };
};

const stop = (): never => {
  throw new Failure('Nothing was changed.');
};

const askOrStop = async (question: string, byDefault: 'yes' | 'no') => (await askYes(question, byDefault)) ?? stop();

const none = /^(none|-)$/i;

/**
 * Asks for a setting until the answer fits. Enter takes the offer; `none` is empty.
 *
 * @param without when to leave it empty; absent if there must be an answer
 */
async function askSetting(
  key: Key,
  [what, without]: readonly [what: string, without?: string],
  offer = '',
  read = (typed: string) => typed,
): Promise<string> {
  const schema = settings.find((setting) => setting.key === key)?.schema;
  if (!schema) throw new TypeError(`There is no setting ${key}.`);
  const how = without && ` (${offer === '' ? 'leave it empty' : 'none'} ${without})`;
  const question = `${what}${how ?? ''}${offer && ` [${offer}]`}: `;
  for (;;) {
    const typed = (await askLine(question)) ?? stop();
    const text = without !== undefined && none.test(typed) ? '' : read(typed || offer);
    const { error } = schema.safeParse(text === '' ? undefined : parseText(text, schema));
    if (!error) return text;
    printToStderr(`that ${error.issues[0]?.message}.`);
  }
}

const urlQuestion = 'Base URL of your tracker';
const withScheme = (url: string) => (url === '' || /^https?:\/\//i.test(url) ? url : `https://${url}`);

/**
 * Asks where the tracker is, and for its key. Without a URL it is the embedded one.
 *
 * @param offered the settings of the last time
 */
export async function askForTracker(answers: Answers, offered: GivenSettings): Promise<void> {
  if (has(answers, 'config', 'sandbox')) return;
  if (!has(answers, 'url')) {
    const url = await askSetting('url', [urlQuestion, 'for sample data'], offered.url?.text, withScheme);
    answer(answers, url === '' ? 'sandbox' : 'url', url || 'true');
    if (url === '') return;
  }
  if (has(answers, ...keySettings)) return;
  const isSame = readGiven(answers.flags, answers.environment).url?.value === offered.url?.value;
  const kept = isSame ? keySettings.find((key) => isSet(offered[key])) : undefined;
  const hint = kept ? 'leave it empty to keep the one you have' : 'it is not shown as you type';
  let key: string;
  do key = (await askSecret(`API key, from the tracker’s general settings (${hint}): `)) ?? stop();
  while (key === '' && !kept);
  if (key !== '') setKey(answers, 'apiKey', key);
  else if (kept) setKey(answers, kept, offered[kept]?.text ?? '');
}

/** Sets the key instead of any other one. */
function setKey(answers: Answers, key: (typeof keySettings)[number], value: string): void {
  const { apiKey: _, ...flags } = answers.flags;
  const others = Object.entries(answers.environment).filter(([name]) => !keyVariables.includes(name));
  answers.flags = flags;
  answers.environment = { ...Object.fromEntries(others), [variableOf(key)]: value };
}

/**
 * Asks again after a failed check, for the right URL first if the check found it.
 *
 * @returns whether there is another URL or key
 */
export async function askAgain(answers: Answers, rightUrl: string | undefined): Promise<boolean> {
  if (rightUrl !== undefined && (await askOrStop(`\nUse ${rightUrl} instead?`, 'yes'))) {
    answer(answers, 'url', rightUrl);
    return true;
  }
  if (!(await askOrStop('\nType another URL or key?', 'yes'))) return false;
  const typed = readGiven(answers.flags, answers.environment).url?.text;
  answer(answers, 'url', await askSetting('url', [urlQuestion], typed, withScheme));
  const key = (await askSecret('API key (leave it empty to keep the one you typed): ')) ?? stop();
  if (key !== '') setKey(answers, 'apiKey', key);
  return true;
}

/** Asks how the tracker counts, and what may be changed. What else was set the last time is kept, and told. */
export async function askForLimits(answers: Answers, offered: GivenSettings): Promise<void> {
  const isAgain = isSet(offered.url);
  const asked = new Set<Key>();
  const needs = (key: Key) => !has(answers, key) && asked.add(key);
  const ask = async (key: Key, what: string, without: string, offer = offered[key]?.text) => {
    const text = needs(key) ? await askSetting(key, [what, without], offer) : '';
    if (text !== '') answer(answers, key, text);
  };
  const askSwitch = async (key: Key, question: string, byDefault: boolean, value = 'true') => {
    if (needs(key) && (await askOrStop(question, byDefault ? 'yes' : 'no'))) answer(answers, key, value);
  };
  const { confirm, maskVisitors, readOnly } = offered;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await ask('timezone', 'Time zone of the tracker', 'if you do not know it', isAgain ? undefined : timeZone);
  await ask('currency', 'Currency of its amounts, such as USD', 'if you do not know it');
  await askSwitch(
    'maskVisitors',
    'Mask visitors? The agent sees 203.0.113.0/24 for an address, and of a user agent only browser, system and device.',
    maskVisitors?.value === true,
  );
  await askSwitch(
    'readOnly',
    'Start read-only? The agent can look at everything and change nothing.',
    !isAgain || readOnly?.value === true,
  );
  if (readGiven(answers.flags, answers.environment).readOnly?.value !== true) {
    const wasAsked = !isAgain || readOnly?.value === true || (isSet(confirm) && confirm.value !== 'off');
    const how = confirm?.value === 'approve' ? 'approve' : 'elicit';
    const question = 'Ask you before each change? A program that cannot ask changes nothing then.';
    await askSwitch('confirm', question, wasAsked, how);
    await ask('maxBid', 'Maximum bid, such as 0.50', 'for no limit');
    await ask('allowCampaigns', 'IDs of campaigns that may be changed, separated by commas', 'for all');
  }
  const kept = settings.flatMap(({ key, locates, command, nameInFile }) => {
    const given = offered[key];
    if (locates || command || key === 'config' || asked.has(key) || has(answers, key) || !isSet(given)) return [];
    return [{ key, nameInFile, text: given.text }];
  });
  for (const { key, text } of kept) answer(answers, key, text);
  if (kept.length === 0) return;
  print(`Kept from the last time: ${kept.map(({ nameInFile, text }) => `${nameInFile} ${text}`).join(', ')}.`);
}
