import * as z from 'zod';
import { type Note, type Notice, sayNotice, type Unworded } from '../../answer/notes.ts';
import { type MovedShare, sayNoPool } from '../../answer/write-notes.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import { maxNameLength } from '../../api/text/clean-text.ts';
import { shown as shownText } from '../../api/text/tracker-text.ts';
import { questionAbout, type WriteResult } from '../../guard/write.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import type { FromSchema } from '../json-schema.ts';
import { noticesOf } from '../present/receipt.ts';
import { argumentsOf, namedPage, quotedCampaign, readPages, requirePage } from './campaign-pages.ts';
import { isSameValue, openSnapshot } from './current-values.ts';
import { changedFirst, effectNotes, explainRequests } from './group-effect.ts';
import type { GroupEffect, PageEffect } from './page-effect.ts';
import { maxShares, missedNotes, sharesFor } from './wished-percentages.ts';
import { defineWritingTool, undoLimits, type WriteStep } from './writing-tool.ts';

const editPage = endpointNamed('edit_campaign_page');

export const sharesOutput = () =>
  z.object({
    campaign_id: z.number(),
    dry_run: z.boolean(),
    done: z.boolean(),
    change_id: z.union([z.string(), z.null()]),
    groups: z.array(
      z.object({
        group: z.string(),
        // Made by `presentPage`.
        pages: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
      }),
    ),
    notices: z.array(z.string()),
  });

/** What a call gives for each page: all of one kind, because the weights follow from percentages of all the traffic. */
const measures = ['share', 'percent'] as const;

type Measure = (typeof measures)[number];

function isGivenBy(page: { readonly [Name in Measure]?: number | undefined }, measure: Measure): boolean {
  return measures.every((name) => (page[name] !== undefined) === (name === measure));
}

/** A rotation as one change: all shares are shown, agreed to, sent and read again together. */
export const setShares = defineWritingTool({
  name: 'set_shares',
  title: 'Set the shares of a rotation',
  description:
    'Rotates landing pages or offers in one act; shows the split of the group before and after. ' +
    'percent 80 is 80% of the traffic, others keep their proportions; share is a weight, others keep theirs. ' +
    'Repeating it sends only what differs. Try dry_run first.',
  access: 'update',
  input: () =>
    z.strictObject({
      campaign_id: is.campaign(),
      shares: z
        .array(
          z.strictObject({
            page_id: is.page(),
            share: is.whole(0, 100, '0 to 100').optional(),
            percent: is.trafficPercent('0 to 100').optional(),
          }),
        )
        .min(1)
        .max(maxShares)
        .refine(
          (shares) => measures.some((one) => shares.every((page) => isGivenBy(page, one))),
          'must have a share for each page, or a percent for each, never both in one call',
        )
        .describe('share or percent, never both'),
      several_groups: is.flag('Allows several groups; default false').default(false),
      dry_run: is.flag('Only shows it; default false').default(false),
    }),
  output: sharesOutput,
  plan: async (given, context) => {
    const { campaign_id: campaignId, shares } = given;
    const pageIds = shares.map(({ page_id }) => page_id);
    const repeated = new Set(pageIds.filter((id, index) => pageIds.indexOf(id) !== index));
    if (repeated.size > 0) {
      throw new Failure(
        `set_shares was not called: shares names page ${joinWords([...repeated].map(String), 'and')} twice.`,
      );
    }
    const snapshot = openSnapshot(context);
    const campaign = await snapshot.pages(campaignId);
    const named = shares.map(({ page_id, ...wish }) => ({ ...requirePage(campaign, page_id, campaignId), ...wish }));
    const groups = [...new Set(named.map(({ group }) => group))];
    if (groups.length > 1 && !given.several_groups) {
      throw new Failure(
        `set_shares was not called: the pages are in several groups (${groups.map(({ name }) => name).join('; ')}), and shares compete within one.`,
        'Call once for each group, or set several_groups to true.',
      );
    }
    const wishes = named.flatMap(({ percent, ...one }) => (percent === undefined ? [] : { ...one, percent }));
    if (wishes.length > 0 && typeof campaign.pool === 'object') {
      throw new Failure(
        `set_shares was not called, since a percentage is of what competes, and ${sayNoPool(campaign.pool)}`,
        'Give share for each page, which is a weight.',
      );
    }
    const asked = [
      ...named.flatMap(({ page, share }) => (share === undefined ? [] : { page, share })),
      ...(wishes.length === 0 ? [] : groups).flatMap((group) =>
        sharesFor(
          group,
          wishes.filter((wish) => wish.group === group),
        ),
      ),
    ];
    const planned = asked.map(({ page, share }) => ({
      request: context.client.request(editPage, { campaign_id: campaignId, page_id: Number(page.pageId), share }),
      ...{ page, share },
    }));
    const requests = planned.map(({ request }) => request);
    const { effects, effect, warnings: ofEffect } = explainRequests(requests, campaign);
    const wanted = new Map(asked.map(({ page, share }) => [page.pageId, share] as const));
    // Increases go first, so that no group is without traffic in between.
    const steps = planned
      .filter(({ page, share }) => !isSameValue(page.share, share))
      .sort((one, other) => other.share - (other.page.share ?? 0) - (one.share - (one.page.share ?? 0)))
      .map(({ request, page }) => ({ request, before: page.share === null ? {} : { share: page.share } }));
    const warnings = [...undoLimits(steps), ...missedNotes(wishes, effects), ...ofEffect];
    const notes = [...effect, ...warnings];
    const name = campaign.campaign ? ` (${quotedCampaign(campaign.campaign)})` : '';
    return {
      isDryRun: given.dry_run,
      write: {
        tool: 'set_shares',
        steps,
        consent: questionAbout(`Set these shares in campaign ${campaignId}${name}?`, notes.map(sayNotice)),
        effect: notes,
        snapshot,
      },
      answer: async (result) => {
        const isDone = result !== undefined || steps.length === 0;
        const unsent: Note = isDone ? { code: 'already-so', what: 'shares' } : { code: 'dry-run', isChecked: true };
        const first = result ? await checkShares(campaignId, wanted, effects, context) : [unsent];
        const notices = [...first, ...warnings, ...noticesOf(result)];
        return present(campaignId, effects, { isDone, change: result?.change ?? null }, notices);
      },
      stopped: (result, reason) => stopped(result, reason, steps, wishes.length > 0),
    };
  },
});

/** What a rotation did that stopped in the middle, and how to continue or go back. */
function stopped(
  { change, replies }: WriteResult,
  reason: string,
  steps: readonly WriteStep[],
  isByPercent: boolean,
): Failure {
  const shares = steps.map(({ request }) => {
    const { page_id: pageId, share } = argumentsOf(request.arguments);
    return `page ${pageId} to ${share}`;
  });
  const done = shares.slice(0, replies.length);
  const unsent = shares.slice(replies.length + 1);
  // By now the other pages no longer have the proportions that they were to keep.
  const same = isByPercent
    ? `shares ${JSON.stringify(steps.map(({ request }) => pickShare(request.arguments)))}, not with percent`
    : 'the same shares';
  return new Failure(
    [
      `set_shares stopped at ${shares[replies.length]}: ${reason}`,
      done.length > 0 ? `Done: ${done.join(', ')}.` : 'No share was set before it.',
      ...(unsent.length > 0 ? [`Not sent: ${unsent.join(', ')}.`] : []),
    ].join(' '),
    `To go on, call set_shares again with ${same}: it reads the tracker first and sends what still differs. To go back, call undo_change with change_id ${change}.`,
  );
}

function pickShare(given: WriteStep['request']['arguments']) {
  const { page_id, share } = argumentsOf(given);
  return { page_id, share };
}

/** Reads the pages again. Returns notices on whether they have the new shares, and whether the others of their groups kept theirs. */
async function checkShares(
  campaignId: number,
  wanted: ReadonlyMap<string, number>,
  effects: readonly GroupEffect[],
  context: CallContext,
): Promise<readonly Note[]> {
  try {
    const pages = await readPages(campaignId, context);
    const different = pages.filter(
      ({ pageId, share }) => wanted.has(pageId) && !isSameValue(share, wanted.get(pageId)),
    );
    const moved = otherPages(effects, wanted).flatMap(({ page: { pageId, kind }, after }): MovedShare[] => {
      const now = pages.find((page) => page.pageId === pageId && page.kind === kind);
      if (!now || now.share === null || after.share === null || isSameValue(now.share, after.share)) return [];
      return [{ page: namedPage(now), share: now.share, before: after.share }];
    });
    return [
      different.length === 0
        ? { code: 'shares-as-set' }
        : { code: 'shares-differ', pages: different.map((page) => ({ page: namedPage(page), share: page.share })) },
      ...(moved.length === 0 ? [] : [{ code: 'others-moved', pages: moved } as const]),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ code: 'not-read-again', writes: 'all', failure: error.message }];
  }
}

const otherPages = (effects: readonly GroupEffect[], wanted: ReadonlyMap<string, number>): readonly PageEffect[] =>
  effects.flatMap(({ pages }) => pages.filter(({ page }) => !wanted.has(page.pageId)));

function presentPage({ page, before, after, lack }: PageEffect) {
  return {
    page_id: page.pageId,
    name: page.name === null ? null : shownText(page.name, maxNameLength),
    kind: page.kind,
    share_before: before.share,
    share_after: after.share,
    percent_before: before.percent,
    percent_after: after.percent,
    ...lack,
  };
}

/** @param isDone whether the tracker has the shares now; if not, it was a dry run */
function present(
  campaignId: number,
  effects: readonly GroupEffect[],
  { isDone, change }: { readonly isDone: boolean; readonly change: string | null },
  notices: readonly Notice[],
): Answer {
  const outcome = isDone ? 'done' : 'not sent (dry run)';
  const head = `set_shares: ${outcome}${change === null ? '' : `, change ${change}`}.`;
  const largest = Math.max(0, ...effects.map(({ pages }) => pages.length));
  return {
    parts: [largest, notices.length].map((count) => ({ count, min: 0 })),
    render: ([pageCount = 0, noticeCount = 0]) => {
      const structured: Unworded<FromSchema<typeof sharesOutput>> = {
        campaign_id: campaignId,
        dry_run: !isDone,
        done: isDone,
        change_id: change,
        groups: effects.map(({ group, pages }) => ({
          group,
          pages: changedFirst(pages).slice(0, pageCount).map(presentPage),
        })),
        notices: [
          ...shortenList(notices, noticeCount, 'notice'),
          ...effects.flatMap(({ group, pages }) =>
            pages.length > pageCount
              ? [{ code: 'pages-not-shown', group, count: pages.length - pageCount } as const]
              : [],
          ),
        ],
      };
      // The first line is the name of the group.
      const lines = effects.flatMap((effect) => effectNotes(effect).slice(0, pageCount + 1));
      return { structured, blocks: [{ is: 'heading', text: head }, { lines }] };
    },
  };
}
