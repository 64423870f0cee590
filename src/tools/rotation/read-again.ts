import type { Note } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { ValuesBefore, WriteRequest } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import { listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { argumentsOf } from './campaign-pages.ts';
import { isSameValue, optionsIn } from './current-values.ts';

/** What the tracker shows after a write. */
export interface After {
  /** By argument name; without those that the tracker does not show. */
  readonly values: ValuesBefore;
  readonly notice: Note;
}

/** Reads the campaign again that was edited: a tracker may answer OK and keep the old value. Never throws a Failure. */
export async function readCampaignAgain({ arguments: given }: WriteRequest, context: CallContext): Promise<After> {
  const { campaign_id: campaignId, dry_run: _, ...options } = given;
  try {
    const how = { once: true, reuse: false };
    const listed = await askQuickly(context, ({ client, signal }) => listCampaigns(client, signal, 'all', how));
    const campaign = listed.find(({ id }) => rawText(id) === String(argumentsOf(given).campaign_id));
    const values = campaign ? optionsIn(campaign, options) : {};
    const shown = Object.keys(values);
    const different = shown.filter((name) => !isSameValue(values[name], options[name]));
    const missing = Object.keys(options).filter((name) => options[name] !== undefined && !shown.includes(name));
    return { values, notice: noteOn(values, different, missing) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { values: {}, notice: { code: 'not-read-again', writes: 'one', failure: error.message } };
  }
}

function noteOn(values: ValuesBefore, different: readonly string[], missing: readonly string[]): Note {
  if (different.length > 0) {
    return { code: 'values-differ', values: different.map((name) => [name, String(values[name])] as const) };
  }
  return Object.keys(values).length === 0 ? { code: 'values-not-shown' } : { code: 'values-as-set', missing };
}
