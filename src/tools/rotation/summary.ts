import { groupPages, type PlacedPage, trafficPercent } from '../../analysis/placed-pages.ts';
import { fromTracker, quoted } from '../../api/text/tracker-text.ts';
import { currencyBehind } from '../../api/vocabulary.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Step } from '../../guard/write-request.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { isSubject } from '../present/change-steps.ts';
import { findCampaign } from './campaign-pages.ts';
import type { Present } from './current-values.ts';
import { describeEffect, effectOn, type GroupEffect, type PageChanges, warningsOf } from './group-effect.ts';

type WriteStep = Step<TrackerRequest>;

/** What a person reads first of a proposal, and what the write does to traffic as far as its tool did not say so. */
export interface Summary {
  readonly summary: readonly string[];
  readonly effect: readonly string[];
}

/** A line names so many pages; the steps below it name all. */
const maxNamed = 6;

/**
 * Says what writes do, by names and with old and new values: `“Home fitness”: “Home gym” 40% to 80% of the traffic`.
 *
 * @throws TrackerFailure if the tracker cannot be asked for the names
 */
export async function summarize(steps: readonly WriteStep[], present: Present, context: CallContext): Promise<Summary> {
  const ofPages = steps.filter(({ request }) => request.endpoint.record === 'campaign_page');
  const campaigns = [...new Set(ofPages.map(({ request }) => Number(request.arguments['campaign_id'])))];
  const found = await Promise.all([
    ...campaigns.map((id) => {
      const own = ofPages.filter(({ request }) => Number(request.arguments['campaign_id']) === id);
      return summarizePages(id, own, present, context);
    }),
    ...steps.filter((step) => !ofPages.includes(step)).map((step) => summarizeRecord(step, context)),
  ]);
  return { summary: found.flatMap(({ summary }) => summary), effect: found.flatMap(({ effect }) => effect) };
}

/** Options of a campaign, or a predefined offer or landing page. */
async function summarizeRecord({ request, before = {} }: WriteStep, context: CallContext): Promise<Summary> {
  const { endpoint, arguments: given } = request;
  const changes = changesIn(endpoint.name, given, before, context.currency);
  const kind = endpoint.record === 'offer' ? 'offer' : 'landing page';
  if (endpoint.access === 'create') {
    return { summary: [`A new ${kind}, in no campaign yet: ${changes.join(', ')}`], effect: [] };
  }
  const id = Number(given['campaign_id'] ?? given['offer_id'] ?? given['landing_page_id']);
  if (endpoint.record !== 'campaign')
    return { summary: [`Predefined ${kind} ${id}: ${changes.join(', ')}`], effect: [] };
  const campaign = await findCampaign(id, context, { once: true, reuse: true });
  return { summary: [`${campaignNamed(campaign?.name, id)}: ${changes.join(', ')}`], effect: [] };
}

async function summarizePages(
  campaignId: number,
  steps: readonly WriteStep[],
  present: Present,
  { currency }: CallContext,
): Promise<Summary> {
  const { campaign, pages, groups, sharesOnePool } = await present.pages(campaignId);
  const edits = steps.filter(({ request }) => request.endpoint.access === 'update');
  const changes: PageChanges = new Map(
    edits.map(({ request: { arguments: given } }) => [pageIdIn(given), movesIn(given)]),
  );
  const effects = groups.map((group) => effectOn(group, changes)).flatMap((effect) => effect.pages);
  const added = steps.filter((step) => !edits.includes(step)).map((step) => addedBy(step.request, pages));
  const effectsOfAdding = added.map((page) => effectOfAdding(page, pages, sharesOnePool));
  const said = [
    ...edits.map(({ request: { endpoint, arguments: given }, before = {} }) => {
      const page = pages.find(({ pageId }) => pageId === pageIdIn(given));
      const effect = effects.find(({ page_id }) => page_id === pageIdIn(given));
      const { share, active, ...rest } = given;
      const others = changesIn(endpoint.name, rest, before, currency);
      const moves = share === undefined && active === undefined ? [] : movesInWords({ share, active }, before, effect);
      return `${page?.name ? quoted(page.name, 60) : `page ${pageIdIn(given)}`} ${[...moves, ...others].join(', ')}`;
    }),
    ...added.map((page, index) => {
      const percent = effectsOfAdding[index]?.effect.pages.at(-1)?.percent_after;
      const traffic =
        typeof percent === 'number' ? `${percent}% of the traffic` : 'how much traffic it gets is not known';
      const kind = page.kind === 'offer' ? 'offer' : 'landing page';
      const share = page.share === null ? 'without a share' : `with share ${page.share}`;
      return `a new ${kind} ${page.name === null ? '' : `${quoted(page.name, 60)} `}${share}, ${traffic}`;
    }),
  ];
  const more = said.length > maxNamed ? [`and ${said.length - maxNamed} more pages`] : [];
  return {
    summary: [`${campaignNamed(campaign?.name, campaignId)}: ${[...said.slice(0, maxNamed), ...more].join('; ')}`],
    effect: effectsOfAdding.flatMap(({ effect, group }) => [
      describeEffect(effect, group),
      ...warningsOf(effect, group, sharesOnePool),
    ]),
  };
}

function campaignNamed(name: Parameters<typeof quoted>[0] | undefined, id: number): string {
  return name === undefined ? `Campaign ${id}` : quoted(name, 80);
}

function pageIdIn(given: Given): string {
  return String(given['page_id']);
}

function movesIn({ share, active }: Given): { share?: number; active?: boolean } {
  return { ...(typeof share === 'number' ? { share } : {}), ...(typeof active === 'boolean' ? { active } : {}) };
}

/** `40% to 80% of the traffic`; the shares, if it is not known what part of the traffic they are. */
function movesInWords(
  { share, active }: Given,
  before: Given,
  effect: GroupEffect['pages'][number] | undefined,
): readonly string[] {
  const [from, to] = [effect?.percent_before ?? null, effect?.percent_after ?? null];
  const shares = share === undefined ? [] : [change('share', before['share'], share, undefined)];
  return [
    ...(active === undefined ? [] : [active === true ? 'switched on' : 'switched off']),
    ...(from === null || to === null || from === to ? shares : []),
    ...(from === null || to === null
      ? []
      : [from === to ? `${to}% of the traffic as before` : `${from}% to ${to}% of the traffic`]),
  ];
}

/** Each argument that a write sets: `bid 0.1 EUR to 0.25 EUR`. */
function changesIn(tool: string, given: Given, before: Given, currency: string | undefined): readonly string[] {
  return Object.entries(given)
    .filter(([name, value]) => !isSubject(tool, name) && name !== 'dry_run' && value !== undefined)
    .map(([name, value]) => change(name, before[name], value, currency));
}

function change(name: string, old: unknown, value: unknown, currency: string | undefined): string {
  const written = (one: unknown) => {
    if (typeof one === 'boolean') return one ? 'yes' : 'no';
    return typeof one === 'number'
      ? `${one}${currencyBehind(name, one, currency)}`
      : quoted(fromTracker(String(one)), 200);
  };
  const from = old === undefined || old === null ? '' : `${written(old)} to `;
  return `${name.replaceAll('_', ' ')} ${from}${written(value)}`;
}

/** The page that a write adds. Without a path or level of its own it goes where the others of its kind are. */
function addedBy({ endpoint, arguments: given }: TrackerRequest, pages: readonly PlacedPage[]): PlacedPage {
  const kind = 'offer_id' in endpoint.parameters ? 'offer' : 'landing';
  const alike = pages.filter((page) => page.kind === kind);
  const placeOf = (name: 'level' | 'path') => {
    const known = [...new Set(alike.map((page) => page[name]))];
    return typeof given[name] === 'number' ? given[name] : known.length === 1 ? (known[0] ?? null) : null;
  };
  const existing = given['offer_id'] ?? given['landing_page_id'];
  const name = given['name'] ?? (existing === undefined ? undefined : `ID ${existing}`);
  return {
    ...{ kind, pageId: 'new', name: name === undefined ? null : fromTracker(String(name)), url: null, source: null },
    active: given['active'] !== false,
    share: typeof given['share'] === 'number' ? given['share'] : null,
    ...{ level: placeOf('level'), path: placeOf('path'), payout: null },
  };
}

/** What the group of an added page gets, the page itself last. */
function effectOfAdding(added: PlacedPage, pages: readonly PlacedPage[], sharesOnePool: boolean) {
  const group = groupPages([...pages, added], sharesOnePool).find((one) => one.pages.includes(added)) ?? {
    ...{ name: 'pages', pages: [added] },
  };
  const others = group.pages.filter((page) => page !== added);
  const { group: name, pages: after } = effectOn(group, new Map());
  const effect: GroupEffect = {
    group: name,
    pages: after.map((page, index) => {
      const other = others[index];
      if (!other) return { ...page, share_before: 0, percent_before: 0 };
      return { ...page, percent_before: trafficPercent(other, others) };
    }),
  };
  return { effect, group };
}
