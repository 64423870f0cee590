import { describeStep } from '../../answer/changes.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import type { WriteResult } from '../../guard/write.ts';
import type { Answer, JsonRecord } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import type { ShownStep } from './change-steps.ts';
import { noticesOf } from './receipt.ts';

interface PresentedWrite {
  /** How the text begins: `undo_change of 1a2b3c` */
  readonly head: string;
  /** The fields of the data that come before the usual ones. */
  readonly fields: JsonRecord;
  readonly steps: readonly ShownStep[];
  /** What it does to traffic, a line each. */
  readonly effect: readonly Notice[];
  readonly notices: readonly Notice[];
  /** Undefined if nothing was sent. */
  readonly result: WriteResult | undefined;
  /** Whether nothing had to be sent. */
  readonly isDoneBefore?: boolean;
}

/** The answer of a tool that sends several requests: each with its outcome, and what all do to traffic. */
export function presentSteps({ head, fields, steps, effect, notices, result, isDoneBefore }: PresentedWrite): Answer {
  const unsent: Note = isDoneBefore ? { code: 'already-so', what: 'values' } : { code: 'dry-run', isChecked: true };
  const allNotices = [...notices, ...(result ? noticesOf(result) : [unsent])];
  const isDone = result !== undefined || isDoneBefore === true;
  const state = result ? `done, change ${result.change}` : isDone ? 'done already' : 'not sent (dry run)';
  return {
    parts: [effect, steps, allNotices].map(({ length }) => ({ count: length, min: 0 })),
    render: ([lineCount = 0, stepCount = 0, noticeCount = 0]) => {
      const unshown = steps.length - stepCount;
      const listed: Notice[] = [
        ...(effect.length === 0 ? [] : [{ lines: shortenList(effect, lineCount, 'page') }]),
        ...(unshown > 0 ? [{ code: 'writes-not-shown', count: unshown } as const] : []),
        ...shortenList(allNotices, noticeCount, 'notice'),
      ];
      const structured = {
        ...fields,
        dry_run: !isDone,
        done: isDone,
        change_id: result?.change ?? null,
        // The whole set is a dry run or none.
        steps: steps.slice(0, stepCount),
        notices: listed,
      };
      return {
        structured,
        blocks: [{ is: 'heading', text: `${head}: ${state}.` }, ...structured.steps.map(describeStep)],
      };
    },
  };
}
