import { type GroupFigures, without } from '../visit-groups.ts';
import { type CampaignHistory, type History, pairsOf, reviewedDays, splitPair } from './campaign-history.ts';
import {
  asOneLook,
  chanceOfAtMost,
  clickDays,
  type Detector,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  perDay,
  placementsIn,
  ratio,
  scatterOver,
  well,
} from './looks.ts';

/** After so many days too few are left that show what was usual. */
export const fallenClickDays = reviewedDays - 7;

interface Fall {
  /** Down to this part of the expected clicks, it is merely worse. */
  readonly maxPart: number;
  /** Of the scatter of rates from day to day. */
  readonly scatter: number;
}

const ofPage: Fall = { maxPart: 0.8, scatter: 1 };

/** Days that are good for a page are so for all who see it. */
const ofPartOfPage: Fall = { ...ofPage, scatter: 0.5 };

/** Who comes from a placement differs from day to day. */
const ofPlacement: Fall = { maxPart: 0.5, scatter: 2 };

/** Visits up to an age in days, or from it on. */
type Seen = Pick<GroupFigures, 'views' | 'clicks'>;
type Others = { readonly now: Seen; readonly before: Seen };

/**
 * Pages that are clicked less than before, though the other pages of the campaign are not: a page that is slow, or broken for some.
 * Visitors are drawn at random, so that all pages have the same ones. A part of a page's visitors that clicks less does so alone: the
 * others who see the page do not, nor does this part on other pages. An ad or another placement may get worse, or send others.
 */
export const fallenClicks: Detector = (campaign) => {
  const pages = lookAtValues(campaign, ['landing_page'], (page) =>
    lookForFall(campaign, page, ofPage, (days) => [besides(campaign, page, days)]),
  );
  const parts = lookAtValues(campaign, pairsOf('landing_page'), (part, value, dimension) => {
    const [name, within] = splitPair(value);
    const page = campaign.groups.get('landing_page')?.get(name);
    if (!page) return [];
    return lookForFall(campaign, part, ofPartOfPage, (days) => {
      const onOtherPages = { now: { views: 0, clicks: 0 }, before: { views: 0, clicks: 0 } };
      for (const [other, history] of campaign.groups.get(dimension) ?? []) {
        if (other === value || splitPair(other)[1] !== within) continue;
        add(onOtherPages.now, history.sum(0, days));
        add(onOtherPages.before, history.sum(days));
      }
      const areKnown = Math.min(onOtherPages.now.clicks, onOtherPages.before.clicks) >= minExpected;
      return [besides(page, part, days), ...(areKnown ? [onOtherPages] : [])];
    });
  });
  const placements = placementsIn(campaign).flatMap((name) =>
    asOneLook(
      lookAtValues(campaign, [name], (placement) =>
        lookForFall(campaign, placement, ofPlacement, (days) => [besides(campaign, placement, days)]),
      ),
    ),
  );
  return [...pages, ...parts, ...placements];
};

function add(sums: { views: number; clicks: number }, { views, clicks }: Seen): void {
  sums.views += views;
  sums.clicks += clicks;
}

function besides(whole: History, part: History, days: number): Others {
  return { now: without(whole.sum(0, days), part.sum(0, days)), before: without(whole.sum(days), part.sum(days)) };
}

const rateOf = ({ clicks, views }: Seen) => ratio(clicks, views);

/** What may have fallen, and what the others did who may show that all did. */
interface MaybeFallen {
  readonly campaign: CampaignHistory;
  readonly history: History;
  readonly fall: Fall;
  readonly othersIn: (days: number) => readonly Others[];
}

const lookForFall = (
  campaign: CampaignHistory,
  history: History,
  fall: Fall,
  othersIn: MaybeFallen['othersIn'],
): readonly Look[] => leastLikely(clickDays.map((days) => fallIn(days, { campaign, history, fall, othersIn })));

function fallIn(days: number, { campaign, history, fall, othersIn }: MaybeFallen): Look | undefined {
  const [own, before] = [history.sum(0, days), history.sum(days)];
  // Most parts are too small, whatever others do.
  if (own.views * rateOf(before) < minExpected) return undefined;
  const others = othersIn(days);
  // Clicks of all pages fall with other visitors.
  const kept = Math.min(1, ...others.map((one) => ratio(rateOf(one.now), rateOf(one.before))));
  const expected = own.views * rateOf(before) * kept;
  if (expected < minExpected) return undefined;
  const { views: visits, clicks } = own;
  if (clicks > expected * fall.maxPart) return well;
  const few = Math.max(...others.map((one) => 1 / one.now.clicks + 1 / one.before.clicks));
  const usual = campaign.sum(days);
  return {
    chance: chanceOfAtMost(clicks, expected, fall.scatter * scatterOver(days) + 1 / before.clicks + few),
    age: days * 24,
    moneyPerDay: perDay((expected - clicks) * ratio(usual.revenue, usual.clicks), days),
    figures: { visits, clicks, expected_clicks: expected, days },
  };
}
