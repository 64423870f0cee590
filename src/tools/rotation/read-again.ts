import { at } from '../../analysis/statistics/history.ts';
import { isSubject } from '../../answer/changes.ts';
import { type Note, type Notice, sayNotice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { TrackerFailure } from '../../client/errors.ts';
import type { Step, ValuesBefore, WriteRequest } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import { listCampaignsNow } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { argumentsOf, readPagesNow } from './campaign-pages.ts';
import { isSameValue, optionsIn, valuesOfPage } from './current-values.ts';

/** Whether the tracker shows what a request edits. */
export const isReadable = ({ endpoint }: Pick<WriteRequest, 'endpoint'>): boolean =>
  endpoint.access === 'update' && (endpoint.record === 'campaign' || endpoint.record === 'campaign_page');

/** The arguments that are new values, and not the record or the campaign. */
export const namesSet = ({ endpoint, arguments: given }: Omit<WriteRequest, 'shown'>): readonly string[] =>
  Object.keys(given).filter((name) => given[name] !== undefined && !isSubject(endpoint.name, name));

/** What the tracker shows after a write. */
export interface After {
  /** By argument name; without those that the tracker does not show. */
  readonly values: ValuesBefore;
  readonly notice: Note;
}

/**
 * Reads again what edits of campaigns and their pages set, because a tracker may answer OK and keep the old value: the list of campaigns
 * once, and the pages of each campaign once. Never throws a Failure.
 */
export async function readAgain(requests: readonly WriteRequest[], context: CallContext): Promise<readonly After[]> {
  try {
    return await askQuickly(context, (quick) => {
      // What the call read before is out of date.
      const fresh = { ...quick, reads: new Map() };
      return Promise.all(requests.map((request) => readRequestAgain(request, fresh)));
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const writes = requests.length > 1 ? 'all' : 'one';
    return requests.map(() => ({ values: {}, notice: { code: 'not-read-again', writes, failure: error.message } }));
  }
}

/** The same of a set of writes, each with its number. What the tracker did not show before is not shown now. */
export async function readSetAgain(
  writes: readonly { readonly number: number; readonly steps: readonly Step[] }[],
  context: CallContext,
): Promise<Notice[]> {
  const shown = writes.flatMap(({ number, steps }) =>
    steps.flatMap(({ request, before = {} }) =>
      isReadable(request) && Object.keys(before).length > 0 ? [{ number, request }] : [],
    ),
  );
  const again = await readAgain(
    shown.map(({ request }) => request),
    context,
  );
  const failed = again.find(({ notice }) => notice.code === 'not-read-again');
  if (failed) return [failed.notice];
  const others = again.flatMap(({ notice }, index) =>
    notice.code === 'values-as-set' && notice.missing.length === 0 ? [] : [{ write: at(shown, index).number, notice }],
  );
  const odd = new Set(others.map(({ write }) => write));
  const asSet = [...new Set(shown.map(({ number }) => number))].filter((number) => !odd.has(number));
  return [
    ...others.map(({ write, notice }) => ({ of: { write }, notice })),
    ...(asSet.length === 0
      ? []
      : [{ code: 'writes-as-set', writes: asSet, isAll: asSet.length === writes.length } as const]),
  ];
}

/**
 * The failure of a write, with what the tracker shows now: it may answer with an error, or break off, and have the new values. What
 * an error said of them does not count then.
 */
export async function failureReadAgain(failure: unknown, step: Step, context: CallContext): Promise<unknown> {
  const { request, before = {} } = step;
  const given = request.arguments;
  const wasSent = failure instanceof TrackerFailure && ['refused', 'unknown'].includes(failure.outcome);
  const names = namesSet(request).filter((name) => name in before && !isSameValue(before[name], given[name]));
  if (!wasSent || names.length === 0 || !isReadable(request) || context.signal?.aborted) return failure;
  const { values, notice } = at(await readAgain([request], context), 0);
  const isDone = names.some((name) => name in values && isSameValue(values[name], given[name]));
  if (!isDone && (failure.outcome === 'refused' || notice.code !== 'values-differ')) return failure;
  const said = failure.outcome === 'refused' ? failure.happened : failure.message;
  return new TrackerFailure('unknown', said, sayNotice(notice), failure.kind);
}

async function readRequestAgain(request: WriteRequest, context: CallContext): Promise<After> {
  const { endpoint, arguments: given } = request;
  const { campaign_id: campaignId = 0, page_id: pageId, new_page_id: newId = pageId } = argumentsOf(given);
  const set = Object.fromEntries(namesSet(request).map((name) => [name, given[name]]));
  const isPage = endpoint.record === 'campaign_page';
  const [pages, campaigns] = await Promise.all([
    isPage ? readPagesNow(campaignId, context, { once: true }) : [],
    isPage ? [] : listCampaignsNow(context, { once: true }),
  ]);
  const page = pages.find((one) => one.pageId === String(newId));
  const campaign = campaigns.find(({ id }) => rawText(id) === String(campaignId));
  const values = page ? valuesOfPage(page, set) : campaign ? optionsIn(campaign, set) : {};
  const shown = Object.keys(values);
  const different = shown.filter((name) => !isSameValue(values[name], set[name]));
  const missing = Object.keys(set).filter((name) => !shown.includes(name));
  return { values, notice: noteOn(values, different, missing, isPage) };
}

function noteOn(values: ValuesBefore, different: readonly string[], missing: readonly string[], isPage: boolean): Note {
  if (different.length > 0) {
    const shown = different.map((name) => [name, String(values[name])] as const);
    return { code: 'values-differ', values: shown, ...(isPage ? { by: 'get_stats' } : {}) };
  }
  return Object.keys(values).length === 0 ? { code: 'values-not-shown' } : { code: 'values-as-set', missing };
}
