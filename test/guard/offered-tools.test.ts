import { afterEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../src/guard/guard.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const connected = (policy: Partial<Policy>) => connect({ url: tracker.url, policy });
afterEach(() => {
  tracker.taken();
});

describe('a read-only server', () => {
  it('lists no writing tool, and every reading one', async () => {
    const { listed } = await connected({ readOnly: true });
    const names = listed.map(({ name }) => name);
    for (const { name, access } of specifiedTools) expect(names.includes(name), name).toBe(access === 'read');
    for (const tool of listed) expect(tool.annotations?.readOnlyHint).toBe(true);
  });

  it('refuses every writing tool that is called all the same, dry runs too, and sends nothing', async () => {
    const { refusal } = await connected({ readOnly: true });
    for (const tool of writingTools) {
      for (const dry_run of [false, true]) {
        const text = await refusal(tool.name, { ...validArguments(tool), dry_run });
        expect(text).toContain(tool.name);
        expect(text).toContain('TRACKER_READ_ONLY');
      }
    }
    expect(tracker.taken()).toEqual([]);
  });

  it('stays one whatever tools are named', async () => {
    const { listed, refusal } = await connected({ readOnly: true, tools: ['edit_campaign', 'list_campaigns'] });
    expect(listed.map(({ name }) => name)).toEqual(['list_campaigns']);
    expect(await refusal('edit_campaign', { campaign_id: 1, bid: 1 })).toContain('TRACKER_READ_ONLY');
    expect(await refusal('get_stats', { campaign_id: 1 })).toContain('TRACKER_TOOLS');
  });

  it('reads', async () => {
    const { data } = await connected({ readOnly: true });
    expect(await data('list_campaigns')).toMatchObject({ tables: [{ total_rows: 1 }] });
  });
});

it('a server of some tools lists those, and refuses the others by the setting’s name', async () => {
  const { listed, refusal, data } = await connected({ tools: ['get_stats', 'edit_campaign'] });
  expect(listed.map(({ name }) => name)).toEqual(['get_stats', 'edit_campaign']);
  expect(await refusal('list_campaigns')).toMatch(/only get_stats, edit_campaign are \(TRACKER_TOOLS\)/);
  expect(tracker.taken()).toEqual([]);
  await data('edit_campaign', { campaign_id: 1, bid: 1 });
});
