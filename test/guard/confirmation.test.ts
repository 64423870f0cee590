import { type ElicitResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { apiKey, askedPerson, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);

/** A server that asks, and a person with this answer. */
async function asked(answer?: ElicitResult | (() => never)) {
  const questions: string[] = [];
  const person = (question: string): ElicitResult => {
    questions.push(question);
    return typeof answer === 'function' ? answer() : (answer ?? { action: 'cancel' });
  };
  const connection = await connect({ url: tracker.url, policy: { confirm: true }, ...(answer ? { person } : {}) });
  return { ...connection, questions };
}

const change = { campaign_id: 7, page_id: 12, share: 80, active: true };

it('a write that a person agrees to is sent once', async () => {
  const { data, questions } = await asked({ action: 'accept', content: { agree: true } });
  for (const tool of writingTools) await data(tool.name, validArguments(tool));
  expect(questions).toHaveLength(writingTools.length);
  expect(tracker.writes()).toHaveLength(writingTools.length);
});

const failing = (error: Error) => () => {
  throw error;
};
const timeout = new McpError(ErrorCode.RequestTimeout, 'Request timed out');

describe('nothing is sent if a person', () => {
  it.each<[what: string, answer: ElicitResult]>([
    ['accepts without agreeing', { action: 'accept', content: { agree: false } }],
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('%s', async (_, answer) => {
    const { refusal, questions } = await asked(answer);
    const message = /not sent.*declined or unavailable.*TRACKER_CONFIRM/;
    for (const tool of writingTools) expect(await refusal(tool.name, validArguments(tool))).toMatch(message);
    expect(questions).toHaveLength(writingTools.length);
    expect(tracker.writes()).toEqual([]);
  });

  const unclear = 'neither yes nor no';
  it.each<[what: string, answer: ElicitResult | (() => never) | undefined, reason: string]>([
    ['cannot be asked by this client', undefined, 'cannot ask'],
    ['cannot be asked because the client fails', failing(new Error('no screen')), 'The client failed to ask its user'],
    ['answers with a word instead of true', { action: 'accept', content: { agree: 'true' } }, unclear],
    ['answers with a number instead of true', { action: 'accept', content: { agree: 1 } }, unclear],
    ['answers with no content', { action: 'accept' }, unclear],
    ['answers with empty content', { action: 'accept', content: {} }, unclear],
    ['does not answer in time', failing(timeout), 'No one answered.*in time'],
  ])('%s, and the agent reads why', async (_, answer, reason) => {
    const { refusal } = await asked(answer);
    const text = await refusal('edit_campaign_page', change);
    expect(text).toMatch(new RegExp(`declined or unavailable.*${reason}`));
    expect(text).not.toMatch(answer ? /cannot ask|no screen/ : /failed/);
    expect(tracker.writes()).toEqual([]);
  });
});

it('the question describes the change and its unknown values', async () => {
  const { data, questions } = await asked({ action: 'accept', content: { agree: true } });
  await data('edit_campaign_page', { ...change, name: 'Gym" This is free.' });
  expect(questions).toEqual([
    'Edit a landing page or offer in a campaign?\n' +
      '- campaign id: 7 (“Seven”)\n- page id: 12\n- name: "Gym\\" This is free."\n- active: true\n- share: 80\n' +
      'The name, state and share before are not known, so undo_change cannot restore them: ' +
      'no report of the campaign shows this page.\nThis changes live traffic.',
  ]);
  expect(questions.join()).not.toContain(apiKey);
});

it('the question names the campaign and the page that the IDs mean', async () => {
  const { tracker } = await startKeepingTracker();
  const { questions, person } = askedPerson();
  const { data } = await connect({ url: tracker.url, policy: { confirm: true }, person });
  const { change_id } = await data('edit_campaign_page', { campaign_id: 1, page_id: 3, url: 'https://new.example' });
  await data('undo_change', { change_id });
  await data('edit_campaign', { campaign_id: 1, bid: 99 });
  await data('set_shares', { campaign_id: 1, shares: [{ page_id: 3, share: 5 }] });
  const [edit, undo, options, shares] = questions;
  for (const question of [edit, undo])
    expect(question).toContain('campaign id: 1 (“Search”)\n- page id: 3 (“FitTrack”)');
  expect(options).toContain('campaign id: 1 (“Search”)\n- bid: 0.1 -> 99');
  expect(shares).toMatch(/^Set these shares in campaign 1 \(“Search”\)\?\n/);
});

it.each(writingTools.filter(({ wire }) => wire['name']))(
  '$name refuses a text with a hidden character before a person is asked',
  async (tool) => {
    const { refusal, questions } = await asked({ action: 'accept', content: { agree: true } });
    for (const [text, character] of [
      ['Gym\u202e', 'U+202E'],
      ['Gym\0', 'U+0000'],
      ['Gym\n', 'U+000A'],
    ] as const) {
      const message = await refusal(tool.name, { ...validArguments(tool, 'name'), name: text });
      expect(message).toContain(`name must not contain ${character}, a control or invisible character`);
      expect(message).toContain(`${tool.name} was not called`);
    }
    expect(questions).toEqual([]);
    expect(tracker.taken()).toEqual([]);
  },
);

it.each(['name', 'url', 'notes'])('a %s in which a character was lost is not sent', async (argument) => {
  const { refusal } = await asked({ action: 'accept', content: { agree: true } });
  const given = { name: 'Gym', url: 'https://example.com/', notes: 'new', [argument]: 'https://example.com/caf\ufffd' };
  expect(await refusal('add_offer', given)).toContain(`${argument} must not contain U+FFFD`);
  expect(tracker.taken()).toEqual([]);
});

it('reads, dry runs and refused calls need no person', async () => {
  const { data, refusal, questions } = await asked({ action: 'decline' });
  for (const tool of specifiedTools.filter(({ access }) => access === 'read'))
    await data(tool.name, validArguments(tool));
  for (const tool of writingTools) await data(tool.name, { ...validArguments(tool), dry_run: true });
  await refusal('edit_campaign', { campaign_id: 7 });
  expect(questions).toEqual([]);
});
