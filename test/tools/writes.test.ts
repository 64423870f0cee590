import { describe, expect, it } from 'vitest';
import type { Receipt } from '../support/answers.ts';
import { apiKey, connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const { call, data, refusal } = await connect({ url: tracker.url });

const noticesOfAdding = [
  expect.stringContaining('nowhere to go'),
  expect.stringContaining('is alone among'),
  expect.stringMatching(/^(?:Offers|Landing pages) of .*:\n- new “.*” .*: share 0 -> 12.5, 0% of the traffic$/),
  expect.stringContaining('get_stats shows it'),
];

/** The notices for a tracker that cannot return the values before. */
const noticesOf: Readonly<Record<string, readonly unknown[]>> = {
  add_landing_page_to_campaign: noticesOfAdding,
  add_offer_to_campaign: noticesOfAdding,
  edit_campaign: [expect.stringContaining('The values before are not known')],
  edit_campaign_page: [expect.stringContaining('The values before are not known')],
};

/** Predefined records cannot be read, but the values that the previous test set are known. */
const madeByThisServer = (tool: string) => ['edit_landing_page', 'edit_offer'].includes(tool);

describe.each(writingTools)('$name', (tool) => {
  const skipped = tool.companions?.unless;
  const given = validArguments(tool, ...Object.keys(tool.wire).filter((argument) => argument !== skipped));

  it('on a dry run sends nothing, and shows the request that the real call sends, with the key masked', async () => {
    const dry = await data<Receipt>(tool.name, { ...given, dry_run: true });
    expect(tracker.writes()).toEqual([]);
    expect(dry).toMatchObject({ operation: tool.name, dry_run: true, done: false, id: null });
    expect(dry.notices.join()).toContain('nothing was sent');
    const real = await data<Receipt>(tool.name, given);
    const [request, ...others] = tracker.writes();
    expect(others).toEqual([]);
    const parameters = request?.parameters.map(([name, value]) => [name, name === 'key' ? '***' : value]);
    expect(Object.entries(dry.sent)).toEqual(parameters);
    expect(real.sent).toEqual(dry.sent);
  });

  it('returns a receipt with the ID as text if the tracker returns one', async () => {
    const result = await call(tool.name, given);
    tracker.taken();
    const id = tool.answeredId ?? null;
    expect(result.structuredContent).toEqual({
      operation: tool.name,
      dry_run: false,
      done: true,
      id,
      change_id: expect.stringMatching(/^[\da-f]{12}$/),
      sent: expect.objectContaining({ key: '***' }),
      before: madeByThisServer(tool.name) ? expect.objectContaining({ name: given['name'] }) : {},
      notices: noticesOf[tool.name] ?? [],
    });
    expect(textOf(result)).toContain(id === null ? `${tool.name}: done.` : `${tool.name}: done, ID ${id}.`);
    expect(JSON.stringify(result)).not.toContain(apiKey);
  });
});

it('an ID beyond the range of numbers, or with leading zeros, is returned unchanged', async () => {
  for (const id of ['9007199254740993', '0021']) {
    tracker.answer('offer/add', `{"Status":"OK","ID":"${id}"}`);
    expect(await data('add_offer', { name: 'Gym', url: 'https://example.com' })).toMatchObject({ id });
  }
});

it('a notice tells if an OK comes without the expected ID', async () => {
  tracker.answer('offer/add', 'OK');
  const { id, done, notices } = await data<Receipt>('add_offer', { name: 'Gym', url: 'https://example.com' });
  expect([id, done]).toEqual([null, true]);
  expect(notices).toEqual(['The tracker said OK and gave no ID of the record.']);
});

it('the ID of the predefined record is not taken for the ID of the page', async () => {
  const given = { campaign_id: 7, offer_id: 12 };
  for (const [body, id] of [
    ['{"status":"OK","id":"12"}', null],
    ['{"status":"OK","id":"12","pageid":"8"}', '8'],
  ] as const) {
    tracker.answer('offer/addtocamp', body);
    const receipt = await data<Receipt>('add_offer_to_campaign', given);
    expect(receipt.id).toBe(id);
    expect(receipt.notices.join().includes('get_stats shows it')).toBe(id === null);
  }
});

it('a notice tells if the tracker names a different record than was edited', async () => {
  tracker.answer('lp/edit', '{"status":"OK","id":"6"}');
  const { id, notices } = await data<Receipt>('edit_landing_page', { landing_page_id: 5, notes: 'x' });
  expect(id).toBe('6');
  expect(notices).toEqual([
    expect.stringContaining('cannot read predefined records'),
    expect.stringContaining('named the ID 6, and 5 was asked for'),
  ]);
});

it('a warning in the reply of the tracker reaches the agent', async () => {
  tracker.answer('campaign/editpage', '{"Status":"OK","Message":"share was capped to 50"}');
  const { done, notices } = await data<Receipt>('edit_campaign_page', { campaign_id: 7, page_id: 2, share: 90 });
  expect(done).toBe(true);
  expect(notices).toEqual([
    'The tracker also said: Message = “share was capped to 50”',
    expect.stringContaining('The values before are not known'),
  ]);
});

it('a write is sent once, whatever comes back', async () => {
  const given = { campaign_id: 7, bid: 0.5 };
  for (const [status, body, message] of [
    [500, 'oops', /Outcome unknown/],
    [429, '', /Nothing was changed/],
    [200, '{"Status":"Error","Message":"Unknown campaign"}', /said: “Unknown campaign”.*|Nothing was changed/],
  ] as const) {
    tracker.answer('campaign/edit', () => ({ status, body }));
    expect(await refusal('edit_campaign', given)).toMatch(message);
    expect(tracker.writes(), `HTTP ${status} ${body}`).toHaveLength(1);
  }
});
