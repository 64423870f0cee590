import type * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { shorten } from '../../api/text/tracker-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Write, WriteContext, WriteResult } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import { checkArguments } from '../check-arguments.ts';
import { type Answer, type CallContext, type Description, identityIn, type Tool } from '../define-tool.ts';
import { shortestForm } from '../fit.ts';
import { presentOf, surroundingsOf } from './current-values.ts';
import { summarize } from './summary.ts';

/** What a tool wants to have sent, without what every call of it has. */
export type ToolWrite = Omit<Write<TrackerRequest>, 'client' | 'ask' | 'signal' | 'context' | 'currency'> & {
  /** What it does to the traffic and what to think about, a line each: a person who decides later reads it. */
  readonly effect: readonly string[];
};

/** What a call of a writing tool comes to, before anything is sent. */
export interface WritePlan {
  /** Without steps nothing is to be sent. */
  readonly write: ToolWrite;
  readonly isDryRun: boolean;
  /** The answer. It is made twice: first of nothing, as proof that it fits, and then of what was done. */
  readonly answer: (done: WriteResult | undefined) => Answer | Promise<Answer>;
  /** The error of a write that ended in the middle, for a short reason; without it, what the request that failed says. */
  readonly stopped?: (result: WriteResult, reason: string) => Failure;
}

interface WritingDefinition<Input extends z.ZodObject> extends Description<Input> {
  readonly access: 'create' | 'update';
  readonly plan: (given: Readonly<z.output<Input>>, context: CallContext) => Promise<WritePlan>;
  /** Keeps others away from what is planned until it is sent. */
  readonly reserve?: <Result>(
    given: Readonly<z.output<Input>>,
    context: CallContext,
    run: () => Promise<Result>,
  ) => Promise<Result>;
}

/** A tool that writes: its answer is known to fit before anything is sent, and what goes wrong with it later fails no write. */
export function defineWritingTool<Input extends z.ZodObject>({
  plan,
  reserve = (_, __, run) => run(),
  ...description
}: WritingDefinition<Input>): Tool {
  return {
    ...description,
    call: async (given, context) => {
      const checked = checkArguments(description, given);
      return reserve(checked, context, async () => answerOf(await plan(checked, context), description.name, context));
    },
  };
}

async function answerOf(plan: WritePlan, tool: string, context: CallContext): Promise<Answer> {
  const { write, isDryRun, answer, stopped } = plan;
  await context.guard.check(write);
  const unsent = await answer(undefined);
  const shortest = context.client.withoutKey(shortestForm(unsent));
  if (isDryRun || write.steps.length === 0) return unsent;
  const result = await execute(write, context);
  const { failure, change } = result;
  if (failure !== undefined) {
    context.onDefect?.(failure);
    const reason = failure instanceof Failure ? failure.message : 'this server failed with a defect of its own.';
    if (stopped) throw stopped(result, shorten(reason, maxReasonLength));
    if (failure instanceof Failure && failure.outcome !== 'unknown') throw failure;
    throw new Failure(
      failure instanceof Failure
        ? shorten(reason, maxReasonLength)
        : `Outcome unknown: ${reason} Look before you repeat it.`,
      `It is change ${change}: list_changes shows it, and undo_change takes back what was done.`,
    );
  }
  const notice = `${tool}: done, change ${change}. The answer could not be shown whole: list_changes has it. Do not call again for the same.`;
  const brief = {
    structured: { ...shortest.structured, dry_run: false, done: true, change_id: change, notices: [notice] },
    text: notice,
  };
  try {
    return { ...(await answer(result)), brief };
  } catch (error) {
    context.onDefect?.(error);
    return { parts: [], render: () => brief, brief };
  }
}

/** The change ID behind it must not be cut off. */
const maxReasonLength = 2000;

/** Has the guard send it. Throws a Failure if it is refused, and ProposalMade if it waits for a person: nothing was sent. */
export function execute({ effect, ...write }: ToolWrite, context: CallContext): Promise<WriteResult> {
  const { guard, caller, ask, signal, currency } = context;
  const about = { currency, client: caller, ask, signal };
  return guard.execute({ ...write, ...about, context: () => writeContextOf(write.steps, effect, context) });
}

async function writeContextOf(
  steps: ToolWrite['steps'],
  effect: readonly string[],
  context: CallContext,
): Promise<WriteContext> {
  const { client, signal } = context;
  const looking = askQuickly(context, async (quick) => {
    const present = presentOf(quick, { once: true });
    const requests = steps.map(({ request }) => request);
    const looks = [surroundingsOf(requests, present), summarize(steps, present, quick)] as const;
    const [surroundings, summary] = await Promise.all(looks);
    return { surroundings, summary, notices: [] };
  });
  const { surroundings, summary, notices } = await looking.catch((error: unknown) => {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    // A tracker that cannot be asked now does not keep the proposal away, as it does not keep a write away.
    const notice = `What is around it is not known, and not looked at again: ${error.message}`;
    return { surroundings: {}, summary: [], notices: [notice] };
  });
  return {
    tracker: await identityIn(context),
    before: client.withoutKey(steps.map(({ before }) => ({ ...before }))),
    surroundings: client.withoutKey({ ...surroundings }),
    summary: client.withoutKey([...summary]),
    effect: client.withoutKey([...effect, ...notices].flatMap((text) => text.split('\n')).map(cleanText)),
  };
}
