import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Flags, givenBy } from '../../config.ts';
import { askLine, askSecret, askYes, canAsk } from '../terminal/ask.ts';
import { ownFolder, type System } from './clients.ts';

/** Settings as a person completed them. */
export interface Completed {
  readonly flags: Flags;
  /** The environment, with a key that was typed. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Asks for what is missing to reach a tracker: its URL, its key, and whether to begin read-only. In a pipe nobody is asked. */
export async function completeSettings(given: Flags, from: NodeJS.ProcessEnv, isSilent: boolean): Promise<Completed> {
  if (!canAsk()) return { flags: given, environment: from };
  const [flags, environment] = [{ ...given }, { ...from }];
  const isSet = (...keys: readonly (keyof Flags)[]) => keys.some((key) => givenBy(flags, environment)[key]?.text);
  if (isSet('config', 'sandbox')) return { flags, environment };
  const isAsked = !isSet('url');
  if (isAsked) {
    const typed = await askLine('Base URL of your tracker (leave it empty for sample data): ');
    if (typed === '') return { flags: { ...flags, sandbox: 'true' }, environment };
    flags.url = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  }
  if (!isSet('apiKey', 'apiKeyFile', 'keyCommand')) {
    const key = await askSecret('API key, from the tracker’s general settings (it is not shown as you type): ');
    if (key !== undefined) environment['TRACKER_API_KEY'] = key;
  }
  if (!isSilent && !isSet('readOnly')) {
    const isReadOnly = await askYes('Begin read-only? The agent can look at everything and change nothing.', 'yes');
    if (isReadOnly) flags.readOnly = 'true';
  }
  return { flags, environment };
}

/** The file of the user's own in which the key of a tracker is kept: one for each URL and name of an entry. */
export function keyFileOf(system: System, name: string, url: string): string {
  const { host, href } = new URL(url);
  const plain = `${name}-${host}`.replace(/[^\w.-]+/g, '-').toLowerCase();
  // Two trackers on one host differ in their path.
  const mark = createHash('sha256').update(`${name} ${href}`).digest('hex').slice(0, 6);
  return join(ownFolder(system), 'keys', `${plain}-${mark}`);
}
