import { describe, expect, it } from 'vitest';
import type { Receipt } from '../support/answers.ts';
import { apiKey, connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const { call, data, refusal } = await connect({ url: tracker.url });

const noticesOfAdding = [
  expect.stringContaining('nowhere to go'),
  expect.stringMatching(/^(?:Offers|Landing pages) of .*:\n- new “.*” .*: share 0 -> 12.5, 0% of the traffic$/),
  expect.stringContaining('report of get_stats'),
];

/** The notices if the tracker cannot return the values before the write. */
const isUnknown = expect.stringMatching(
  /^The .* before (?:is|are) not known, so undo_change cannot restore .*: .* shows? this/,
);
const noticesOf: Readonly<Record<string, readonly unknown[]>> = {
  add_landing_page_to_campaign: noticesOfAdding,
  add_offer_to_campaign: noticesOfAdding,
  edit_campaign: [isUnknown],
  edit_campaign_page: [isUnknown],
};

/** Predefined records cannot be read, but the server knows the values that the previous test set. */
const hasKnownValues = (tool: string) => ['edit_landing_page', 'edit_offer'].includes(tool);

describe.each(writingTools)('$name', (tool) => {
  const skipped = tool.companions?.unless;
  const given = validArguments(tool, ...Object.keys(tool.wire).filter((argument) => argument !== skipped));

  it('sends nothing on a dry run, and shows the request of the real call with the key masked', async () => {
    const dry = await data<Receipt>(tool.name, { ...given, dry_run: true });
    expect(tracker.writes()).toEqual([]);
    expect(dry).toMatchObject({ operation: tool.name, dry_run: true, done: false, id: null });
    expect(dry.notices.join()).toContain('nothing was sent');
    const real = await data<Receipt>(tool.name, given);
    const [request, ...more] = tracker.writes();
    expect(more).toEqual([]);
    const parameters = request?.parameters.map(([name, value]) => [name, name === 'key' ? '***' : value]);
    expect(Object.entries(dry.sent)).toEqual(parameters);
    expect(real.sent).toEqual(dry.sent);
  });

  it('returns a receipt with the ID as text if the tracker returns one', async () => {
    const result = await call(tool.name, given);
    tracker.taken();
    const id = tool.answeredId ?? null;
    expect(result.structuredContent).toEqual({
      ...{ operation: tool.name, dry_run: false, done: true, id },
      change_id: expect.stringMatching(/^[\da-f]{12}$/),
      sent: expect.objectContaining({ key: '***' }),
      before: hasKnownValues(tool.name) ? expect.objectContaining({ name: given['name'] }) : {},
      notices: noticesOf[tool.name] ?? [],
    });
    expect(textOf(result)).toContain(id === null ? `${tool.name}: done.` : `${tool.name}: done, ID ${id}.`);
    expect(JSON.stringify(result)).not.toContain(apiKey);
  });
});

const newOffer = { name: 'Gym', url: 'https://example.com' };

it.each(['9007199254740993', '0021'])('an ID of %s is returned unchanged', async (id) => {
  tracker.answer('offer/add', `{"Status":"OK","ID":"${id}"}`);
  expect(await data('add_offer', newOffer)).toMatchObject({ id });
});

it('an OK without the expected ID gets a notice', async () => {
  tracker.answer('offer/add', 'OK');
  const { id, done, notices } = await data<Receipt>('add_offer', newOffer);
  expect([id, done]).toEqual([null, true]);
  expect(notices).toEqual(['The tracker answered OK, but gave no ID of the record.']);
});

it.each([
  ['{"status":"OK","id":"12"}', null],
  ['{"status":"OK","id":"12","pageid":"8"}', '8'],
])('the ID of the page, and not that of the predefined record, is taken from %s', async (body, pageId) => {
  tracker.answer('offer/addtocamp', body);
  const { id, notices } = await data<Receipt>('add_offer_to_campaign', { campaign_id: 7, offer_id: 12 });
  expect(id).toBe(pageId);
  expect(notices.join().includes('report of get_stats')).toBe(pageId === null);
});

it('a different ID than that of the edited record gets a notice', async () => {
  tracker.answer('lp/edit', '{"status":"OK","id":"6"}');
  const { id, notices } = await data<Receipt>('edit_landing_page', { landing_page_id: 5, notes: 'x' });
  expect(id).toBe('6');
  expect(notices).toEqual([
    expect.stringContaining('cannot read predefined records'),
    expect.stringContaining('answered with ID 6, but the request was for 5'),
  ]);
});

it('a warning in the reply of the tracker reaches the agent', async () => {
  tracker.answer('campaign/editpage', '{"Status":"OK","Message":"share was capped to 50"}');
  const { done, notices } = await data<Receipt>('edit_campaign_page', { campaign_id: 7, page_id: 2, share: 90 });
  expect(done).toBe(true);
  expect(notices).toEqual(['The tracker also said: Message = “share was capped to 50”', isUnknown]);
});

it.each([
  [500, 'oops', /Outcome unknown/],
  [429, '', /Nothing was changed/],
  [200, '{"Status":"Error","Message":"Unknown campaign"}', /said: “Unknown campaign”.*Nothing was changed/],
])('a write is sent once if the answer is HTTP %i %j', async (status, body, message) => {
  tracker.answer('campaign/edit', () => ({ status, body }));
  expect(await refusal('edit_campaign', { campaign_id: 7, bid: 0.5 })).toMatch(message);
  expect(tracker.writes()).toHaveLength(1);
});

it('an addition with an unknown outcome offers an undo only if its ID is known', async () => {
  tracker.answer('offer/addtocamp', () => ({ status: 500, body: '' }));
  const given = { campaign_id: 7, name: 'Gym', url: 'https://example.com' };
  const message = await refusal('add_offer_to_campaign', given);
  expect(message).toMatch(/undo_change cannot switch off what was added: its ID is not known\.\nIt is change/);
  const id = /change ([\da-f]{12})/.exec(message)?.[1];
  expect(await refusal('undo_change', { change_id: id })).toMatch(/cannot be undone/);
  expect(await refusal('add_offer_to_campaign', { ...given, page_id: 9 })).toMatch(/undo_change undoes what was done/);
});
