import * as z from 'zod';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import { maxNameLength } from '../../api/text/clean-text.ts';
import { shown as shownText } from '../../api/text/tracker-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Step, WriteResult } from '../../guard/write.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import { dryRunNotice, noticesOf } from '../present/receipt.ts';
import { argumentsOf, type CampaignPages, describePage, readCampaignPages, requirePage } from './campaign-pages.ts';
import { defineWritingTool } from './execute.ts';
import {
  changedFirst,
  describeEffect,
  effectOn,
  type GroupEffect,
  nameSome,
  type PageEffect,
  warningsOf,
} from './group-effect.ts';

const editPage = endpointNamed('edit_campaign_page');

/** What set_shares returns. */
export const sharesOutput = z.object({
  campaign_id: z.number(),
  dry_run: z.boolean(),
  done: z.boolean(),
  change_id: z.union([z.string(), z.null()]),
  groups: z.array(
    z.object({
      group: z.string(),
      // Each as `shownEffect` makes it.
      pages: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    }),
  ),
  notices: z.array(z.string()),
});

/** A rotation as one act: all of its shares are looked at, agreed to, sent and read again together. */
export const setShares = defineWritingTool({
  name: 'set_shares',
  title: 'Set the shares of a rotation',
  description:
    'Rotates traffic: sets the shares of landing pages or offers of a campaign in one act, shows share and percent of traffic of every page of the group before and after. ' +
    'A share is a weight, 0 (no traffic) to 100; pages not named keep theirs. Repeating it sends only what still differs. Try dry_run first.',
  access: 'update',
  input: z.strictObject({
    campaign_id: is.campaign(),
    shares: z
      .array(
        z.strictObject({
          page_id: is.page(),
          share: is.percentage('Weight, 0 to 100'),
        }),
      )
      .min(1)
      .max(50)
      .describe('New share of each page'),
    several_groups: is.flag('true lets pages be of several groups; default false').default(false),
    dry_run: is.flag('Only shows it; default false').default(false),
  }),
  output: sharesOutput,
  plan: async (given, context) => {
    const { campaign_id: campaignId, shares } = given;
    const pageIds = shares.map(({ page_id }) => page_id);
    const twice = new Set(pageIds.filter((id, index) => pageIds.indexOf(id) !== index));
    if (twice.size > 0) {
      throw new Failure(
        `set_shares was not called: shares names page ${joinWords([...twice].map(String), 'and')} twice.`,
      );
    }
    const before = await readCampaignPages(campaignId, context);
    const found = shares.map(({ page_id, share }) => ({ ...requirePage(before, page_id, campaignId), share }));
    const groups = [...new Set(found.map(({ group }) => group))];
    if (groups.length > 1 && !given.several_groups) {
      throw new Failure(
        `set_shares was not called: the pages are of several groups (${groups.map(({ name }) => name).join('; ')}), and shares compete within one.`,
        'Call once for each group, or set several_groups to true.',
      );
    }
    const changes = new Map(found.map(({ page, share }) => [page.pageId, { share }] as const));
    const effects = groups.map((group) => effectOn(group, changes));
    const warnings = effects.flatMap((effect) => warningsOf(effect, before.sharesOnePool));
    const effect = [...effects.flatMap(describeEffect), ...warnings];
    // What rises goes first, so that no group is without traffic in between.
    const steps = found
      .filter(({ page, share }) => page.share !== share)
      .sort((one, other) => other.share - (other.page.share ?? 0) - (one.share - (one.page.share ?? 0)))
      .map(
        ({ page, share }): Step<TrackerRequest> => ({
          request: context.client.request(editPage, { campaign_id: campaignId, page_id: Number(page.pageId), share }),
          before: page.share === null ? {} : { share: page.share },
        }),
      );
    return {
      isDryRun: given.dry_run,
      write: {
        tool: 'set_shares',
        steps,
        question: [`Set these shares in campaign ${campaignId}?`, ...effect, 'This changes live traffic.'].join('\n'),
        effect,
        send: (request) => context.client.write(request, { signal: context.signal }),
      },
      answer: async (done) => {
        const isDone = done !== undefined || steps.length === 0;
        const unsent = isDone ? 'Nothing was sent: the shares are these already.' : dryRunNotice;
        const read = done ? await confirm(campaignId, changes, context) : [unsent];
        const notices = [...read, ...warnings, ...noticesOf(done)];
        return present(campaignId, effects, { isDone, change: done?.change ?? null }, notices);
      },
      stopped: (result, reason) => stopped(result, reason, steps),
    };
  },
});

/** What a rotation that ended in the middle did, and how to go on or back. */
function stopped({ change, replies }: WriteResult, reason: string, steps: readonly Step<TrackerRequest>[]): Failure {
  const shares = steps.map(({ request }) => {
    const { page_id: pageId, share } = argumentsOf(request.arguments);
    return `page ${pageId} to ${share}`;
  });
  const done = shares.slice(0, replies.length);
  const waiting = shares.slice(replies.length + 1);
  return new Failure(
    [
      `set_shares stopped at ${shares[replies.length]}: ${reason}`,
      done.length > 0 ? `Done: ${done.join(', ')}.` : 'No share was set before it.',
      ...(waiting.length > 0 ? [`Not sent: ${waiting.join(', ')}.`] : []),
    ].join(' '),
    `To go on, call set_shares again with the same shares: it reads the tracker first and sends what still differs. To go back, call undo_change with change_id ${change}.`,
  );
}

/** Whether the tracker now has what was asked for, by its own report. */
async function confirm(
  campaignId: number,
  changes: ReadonlyMap<string, { readonly share: number }>,
  context: CallContext,
): Promise<string[]> {
  let now: CampaignPages;
  try {
    now = await readCampaignPages(campaignId, context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [`The tracker took every write, but could not be read again: ${error.message}`];
  }
  const others = now.pages.filter(({ pageId, share }) => changes.has(pageId) && changes.get(pageId)?.share !== share);
  return others.length === 0
    ? ['Read again: the tracker has these shares now.']
    : [
        `Read again, the tracker does not show what was set: ${nameSome(others.map((page) => `${describePage(page)} has ${page.share ?? 'no share'}`))}. Its report may lag behind; look again with get_stats.`,
      ];
}

function shownEffect({ page, before, after }: PageEffect) {
  return {
    page_id: page.pageId,
    name: page.name === null ? null : shownText(page.name, maxNameLength),
    kind: page.kind,
    share_before: before.share,
    share_after: after.share,
    percent_before: before.percent,
    percent_after: after.percent,
  };
}

/** @param isDone whether the shares are these now; if not, it was a dry run */
function present(
  campaignId: number,
  effects: readonly GroupEffect[],
  { isDone, change }: { readonly isDone: boolean; readonly change: string | null },
  notices: readonly string[],
): Answer {
  const outcome = isDone ? 'done' : 'not sent (dry run)';
  const head = `set_shares: ${outcome}${change === null ? '' : `, change ${change}`}.`;
  const most = Math.max(0, ...effects.map(({ pages }) => pages.length));
  return {
    parts: [most, notices.length].map((count) => ({ count, min: 0 })),
    render: ([count = 0, some = 0]) => {
      const structured: z.infer<typeof sharesOutput> = {
        campaign_id: campaignId,
        dry_run: !isDone,
        done: isDone,
        change_id: change,
        groups: effects.map(({ group, pages }) => ({
          group,
          pages: changedFirst(pages).slice(0, count).map(shownEffect),
        })),
        notices: [
          ...shortenList(notices, some, 'notices'),
          ...effects.flatMap(({ group, pages }) =>
            pages.length > count ? [`${pages.length - count} more pages of the ${group} are not shown.`] : [],
          ),
        ],
      };
      // The first line is the name of the group.
      const lines = effects.flatMap((effect) => describeEffect(effect).slice(0, count + 1));
      return { structured, text: [head, ...lines, ...structured.notices].join('\n') };
    },
  };
}
