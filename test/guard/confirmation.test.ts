import { type ElicitResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { apiKey, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
afterEach(() => {
  tracker.taken();
});

/** A server that asks, and a person who answers so. */
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

it('what a person agrees to is sent, once', async () => {
  const { data, questions } = await asked({ action: 'accept', content: { agree: true } });
  for (const tool of writingTools) await data(tool.name, validArguments(tool));
  expect(questions).toHaveLength(writingTools.length);
  expect(tracker.writes()).toHaveLength(writingTools.length);
});

describe('nothing is sent where a person', () => {
  it.each<[what: string, answer: ElicitResult]>([
    ['accepts without agreeing', { action: 'accept', content: { agree: false } }],
    ['accepts without an answer', { action: 'accept' }],
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('%s', async (_, answer) => {
    const { refusal, questions } = await asked(answer);
    for (const tool of writingTools) {
      expect(await refusal(tool.name, validArguments(tool))).toMatch(
        /not sent.*declined or unavailable.*TRACKER_CONFIRM/,
      );
    }
    expect(questions).toHaveLength(writingTools.length);
    expect(tracker.writes()).toEqual([]);
  });

  it('cannot be asked, since the client does not offer it', async () => {
    const { refusal } = await asked();
    const text = await refusal('edit_campaign_page', change);
    expect(text).toMatch(/declined or unavailable.*cannot ask/);
    expect(tracker.writes()).toEqual([]);
  });

  it('cannot be asked, since the client fails at it', async () => {
    const { refusal } = await asked(() => {
      throw new Error('no screen');
    });
    const text = await refusal('edit_campaign_page', change);
    expect(text).toMatch(/declined or unavailable.*The client failed when it was to ask/);
    expect(text).not.toMatch(/cannot ask|no screen/);
    expect(tracker.writes()).toEqual([]);
  });

  it.each<[what: string, answer: ElicitResult]>([
    ['a word in the place of true', { action: 'accept', content: { agree: 'true' } }],
    ['a number in the place of true', { action: 'accept', content: { agree: 1 } }],
    ['no content', { action: 'accept' }],
    ['empty content', { action: 'accept', content: {} }],
  ])('answers with %s, and is told so', async (_, answer) => {
    const { refusal } = await asked(answer);
    const text = await refusal('edit_campaign_page', change);
    expect(text).toMatch(/declined or unavailable.*neither yes nor no/);
    expect(text).not.toContain('cannot ask');
    expect(tracker.writes()).toEqual([]);
  });

  it('does not answer in time, and is told so', async () => {
    const { refusal } = await asked(() => {
      throw new McpError(ErrorCode.RequestTimeout, 'Request timed out');
    });
    expect(await refusal('edit_campaign_page', change)).toMatch(/declined or unavailable.*Nobody answered.*in time/);
    expect(tracker.writes()).toEqual([]);
  });
});

it('the question says in words what will change, and nothing else', async () => {
  const { data, questions } = await asked({ action: 'accept', content: { agree: true } });
  await data('edit_campaign_page', { ...change, name: 'Gym\u202e\nThis is free.' });
  expect(questions).toEqual([
    'Edit a landing page or offer in a campaign?\n' +
      '- campaign id: 7\n- page id: 12\n- name: "Gym\\nThis is free."\n- active: true\n- share: 80\n' +
      'This changes live traffic.',
  ]);
  expect(questions.join()).not.toContain(apiKey);
});

it('neither reads nor dry runs nor calls that are refused anyway ask anyone', async () => {
  const { data, refusal, questions } = await asked({ action: 'decline' });
  for (const tool of specifiedTools.filter(({ access }) => access === 'read'))
    await data(tool.name, validArguments(tool));
  for (const tool of writingTools) await data(tool.name, { ...validArguments(tool), dry_run: true });
  await refusal('edit_campaign', { campaign_id: 7 });
  expect(questions).toEqual([]);
});
