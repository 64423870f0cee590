import type { Endpoint } from '../api/endpoints.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { currencyBehind } from '../api/vocabulary.ts';
import type { Answer, Step, ValuesBefore, WriteRequest } from './write.ts';

const otherClient = 'the person who runs this server can turn the question off or use another client.';

/** Why there is no yes, and what to do. */
export const declinedMessages: Readonly<Record<Exclude<Answer, 'yes'>, string>> = {
  no: 'Ask the person what they want before you try again.',
  unavailable: `This client cannot ask its user; ${otherClient}`,
  failed: `The client failed when it was to ask its user; if it fails again, ${otherClient}`,
  unclear: `The client’s answer to the question was neither yes nor no; if that comes again, ${otherClient}`,
  'too-late': 'Nobody answered the question in time; call again once the person is there.',
};

/** The question to a person, in words that they can agree to. `effect`: what it does to the traffic, a line each. */
export function questionOf(
  { request: { endpoint, arguments: given }, before = {} }: Step<WriteRequest>,
  currency: string | undefined,
  effect: readonly string[] = [],
): string {
  const lines = changesInWords(endpoint, given, before, currency).map((line) => `- ${line}`);
  return [`${endpoint.title}?`, ...lines, ...effect, 'This changes live traffic.'].join('\n');
}

/** What a write sets, a line for each argument that is sent. */
export function changesInWords(
  { parameters }: Endpoint,
  given: Readonly<Record<string, unknown>>,
  before: ValuesBefore,
  currency: string | undefined,
): string[] {
  return Object.entries(given)
    .filter(([name]) => name in parameters)
    .map(([name, value]) => changeInWords(name, value, before, currency));
}

/** What a write sets an argument to, and what was there if that is known: `bid: 0.1 EUR -> 0.25 EUR`. */
export function changeInWords(
  argument: string,
  value: unknown,
  before: ValuesBefore,
  currency: string | undefined,
  quote: (value: unknown) => string = JSON.stringify,
): string {
  const written = (one: unknown) => cleanText(`${quote(one)}${currencyBehind(argument, one, currency)}`);
  return `${argument.replaceAll('_', ' ')}: ${argument in before ? `${written(before[argument])} -> ` : ''}${written(value)}`;
}
