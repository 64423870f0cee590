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
  readonly because: string;
  /** A body that is judged by this rule and by no earlier one. */
  readonly example: string;
}

/**
 * The verdict on an answer is that of the first rule that fits. A wrong yes about a write costs money, and a wrong no makes
 * the caller write twice: between them stands `unclear`.
 */
export const rules: readonly Rule[] = [
  {
    when: ({ denial }) => denial !== undefined,
    verdict: 'no-access',
    because: 'the one thing it says is that there is no access',
    example: '{"access":"denied"}',
  },
  {
    of: 'tables',
    when: ({ complaint }) => complaint !== undefined && saysNothingFound(complaint),
    verdict: 'nothing-found',
    because: 'its message is that there are none',
    example: '{"message":"No conversions found"}',
  },
  {
    of: 'reads',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    because: 'its message is about the key',
    example: '{"error":"Invalid API key"}',
  },
  {
    of: 'reads',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'refused',
    because: 'it has an error, and data do not outweigh it',
    example: '{"Status":"Error","Message":"No such campaign"}',
  },
  {
    of: 'reads',
    when: ({ payload }) => payload === undefined,
    verdict: 'unreadable',
    because: 'nothing in it could be what was asked for',
    example: '5',
  },
  {
    of: 'reads',
    when: () => true,
    verdict: 'ok',
    because: 'what was asked for is there, or an empty place for it',
    example: '{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}',
  },
  {
    of: 'writes',
    when: ({ complaint, outcomes }) => complaint !== undefined && outcomes.some(({ text }) => /^5\d\d$/.test(text)),
    verdict: 'unclear',
    because: 'the tracker failed by itself, perhaps half-way',
    example: '{"code":"500","error":"Invalid state"}',
  },
  {
    of: 'writes',
    when: ({ complaint, outcomes }) =>
      complaint !== undefined && outcomes.some(({ name, text }) => !isCode(name) && isSuccessWord(text)),
    verdict: 'unclear',
    because: 'it says yes beside the error',
    example: '{"Status":"OK","error":"Invalid source"}',
  },
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    because: 'its message is about the key',
    example: '{"error":"Invalid API key"}',
  },
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined && isRefusingPhrase(complaint),
    verdict: 'refused',
    because: 'its words say that nothing was done',
    example: '{"message":"Name already in use"}',
  },
  {
    of: 'writes',
    when: ({ complaint, statesFailure }) =>
      complaint !== undefined && statesFailure && (complaint === '' || !isFaultPhrase(complaint)),
    verdict: 'refused',
    because: 'a field states the failure, and it is no fault of the tracker itself',
    example: '{"error":true}',
  },
  {
    of: 'writes',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'unclear',
    because: 'its words mean neither yes nor no',
    example: '{"message":"Thanks"}',
  },
  {
    of: 'writes',
    when: ({ payload }) => payload === undefined,
    verdict: 'unclear',
    because: 'it holds neither OK nor an ID',
    example: '{"affected_rows":"0"}',
  },
  {
    of: 'writes',
    when: ({ texts }) => texts.some(({ name, text }) => isState(name) && isFailureWord(text)),
    verdict: 'unclear',
    because: 'its state is a failure',
    example: '{"ID":"12","state":"failed"}',
  },
  {
    of: 'writes',
    when: ({ id, texts, outcomes }) =>
      id !== null &&
      texts.some(({ name, text }) => isPlainMessageName(name) && isFailurePhrase(text)) &&
      !outcomes.some(({ text }) => isSuccessPhrase(text)),
    verdict: 'unclear',
    because: 'beside the ID stands a message of failure, and no yes',
    example: '{"ID":"12","message":"Offer could not be linked","Name":"Keto"}',
  },
  {
    of: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          !isOutcomeName(name) && isSuccessWord(name) && /^[a-z]/.test(name) && /^(0|false|no)$/i.test(text),
      ),
    verdict: 'unclear',
    because: 'a word of success is denied',
    example: '{"Status":"OK","saved":"false"}',
  },
  {
    of: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          isOutcomeName(name) && isNumber(text) && !(isCode(name) ? isGoodCode(name, text) : isSuccessWord(text)),
      ),
    verdict: 'unclear',
    because: 'its status is a number that is no yes',
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
    because: 'its result is no plain yes',
    example: '{"ID":"12","result":"saved for review"}',
  },
  {
    of: 'writes',
    when: () => true,
    verdict: 'ok',
    because: 'an OK or an ID is there, and nothing speaks against it',
    example: '{"Status":"OK","ID":"12"}',
  },
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
