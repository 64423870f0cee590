import type { ReplyKind } from '../../../api/endpoints.ts';
import { type Envelope, isCode, isGoodCode } from '../envelope.ts';
import {
  isDoubtfulPhrase,
  isFailurePhrase,
  isFailureWord,
  isFaultPhrase,
  isOutcomeName,
  isPlainMessageName,
  isRefusingPhrase,
  isSuccessPhrase,
  isSuccessWord,
  saysNoAccess,
  saysNothingFound,
} from '../words.ts';

/**
 * ok: it is the reply · nothing-found: it says in words that there are no rows · refused: it says what was wrong, and nothing
 * was done · no-access: the key is not accepted, or the API is off · unclear: whether a write was done is unknown ·
 * unreadable: it is not what was asked for
 */
export type Verdict = 'ok' | 'nothing-found' | 'refused' | 'no-access' | 'unclear' | 'unreadable';

interface Rule {
  /** What kind of call it is about; without it, any. */
  readonly of?: 'reads' | 'tables' | 'writes';
  readonly when: (answer: Envelope) => boolean;
  readonly verdict: Verdict;
  /** A body that is judged by this rule and by no earlier one. */
  readonly example: string;
}

/**
 * The verdict on an answer is that of the first rule that fits. A wrong yes about a write costs money, and a wrong no makes
 * the caller write twice: between them stands `unclear`.
 */
export const rules: readonly Rule[] = [
  { when: ({ denial }) => denial !== undefined, verdict: 'no-access', example: '{"access":"denied"}' },
  {
    of: 'tables',
    when: ({ complaint }) => complaint !== undefined && saysNothingFound(complaint),
    verdict: 'nothing-found',
    example: '{"message":"No conversions found"}',
  },
  {
    of: 'reads',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    example: '{"error":"Invalid API key"}',
  },
  {
    of: 'reads',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'refused',
    example: '{"Status":"Error","Message":"No such campaign"}',
  },
  { of: 'reads', when: ({ payload }) => payload === undefined, verdict: 'unreadable', example: '5' },
  // What was asked for is there, or an empty place for it.
  { of: 'reads', when: () => true, verdict: 'ok', example: '{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}' },
  // The tracker failed by itself, perhaps half-way.
  {
    of: 'writes',
    when: ({ complaint, outcomes }) => complaint !== undefined && outcomes.some(({ text }) => /^5\d\d$/.test(text)),
    verdict: 'unclear',
    example: '{"code":"500","error":"Invalid state"}',
  },
  // It says yes beside the error.
  {
    of: 'writes',
    when: ({ complaint, outcomes }) =>
      complaint !== undefined && outcomes.some(({ name, text }) => !isCode(name) && isSuccessWord(text)),
    verdict: 'unclear',
    example: '{"Status":"OK","error":"Invalid source"}',
  },
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    example: '{"error":"Invalid API key"}',
  },
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined && isRefusingPhrase(complaint),
    verdict: 'refused',
    example: '{"message":"Name already in use"}',
  },
  {
    of: 'writes',
    when: ({ complaint, statesFailure }) =>
      complaint !== undefined && statesFailure && (complaint === '' || !isFaultPhrase(complaint)),
    verdict: 'refused',
    example: '{"error":true}',
  },
  // Its words mean neither yes nor no.
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'unclear',
    example: '{"message":"Thanks"}',
  },
  { of: 'writes', when: ({ payload }) => payload === undefined, verdict: 'unclear', example: '{"affected_rows":"0"}' },
  {
    of: 'writes',
    when: ({ texts }) => texts.some(({ name, text }) => isState(name) && isFailureWord(text)),
    verdict: 'unclear',
    example: '{"ID":"12","state":"failed"}',
  },
  // Beside the ID stands a message of failure, and no yes.
  {
    of: 'writes',
    when: ({ id, texts, outcomes }) =>
      id !== null &&
      texts.some(({ name, text }) => isPlainMessageName(name) && isFailurePhrase(text)) &&
      !outcomes.some(({ text }) => isSuccessPhrase(text)),
    verdict: 'unclear',
    example: '{"ID":"12","message":"Offer could not be linked","Name":"Keto"}',
  },
  // A word of success is denied.
  {
    of: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          !isOutcomeName(name) && isSuccessWord(name) && /^[a-z]/.test(name) && /^(0|false|no)$/i.test(text),
      ),
    verdict: 'unclear',
    example: '{"Status":"OK","saved":"false"}',
  },
  // Its status is a number that is no yes.
  {
    of: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          isOutcomeName(name) && isNumber(text) && !(isCode(name) ? isGoodCode(name, text) : isSuccessWord(text)),
      ),
    verdict: 'unclear',
    example: '{"ID":"12","result":"-1"}',
  },
  {
    of: 'writes',
    when: ({ texts }) =>
      // The status of a record, such as disabled, says nothing of the write.
      texts.some(
        ({ name, text }) => isOutcomeName(name) && name !== 'status' && !isNumber(text) && isDoubtfulPhrase(text),
      ),
    verdict: 'unclear',
    example: '{"ID":"12","result":"saved for review"}',
  },
  // An OK or an ID is there, and nothing speaks against it.
  { of: 'writes', when: () => true, verdict: 'ok', example: '{"Status":"OK","ID":"12"}' },
];

const isState = (name: string) => /^(state|type)$/.test(name);

const isNumber = (text: string) => /^-?\d+$/.test(text);

const kindsOf: Readonly<Record<NonNullable<Rule['of']>, ReadonlySet<ReplyKind>>> = {
  reads: new Set(['rows', 'reports', 'groups']),
  tables: new Set(['rows', 'reports']),
  writes: new Set(['id', 'ok']),
};

/** The rule by which an answer is judged. */
export function ruleFor(answer: Envelope): Rule {
  const rule = rules.find(({ of, when }) => (!of || kindsOf[of].has(answer.question.reply)) && when(answer));
  if (!rule) throw new TypeError('the last rule fits every answer');
  return rule;
}
