import { fromTracker, quoted } from '../../api/text/tracker-text.ts';
import { currencyBehind } from '../../api/vocabulary.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Step } from '../../guard/write.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { isSubject } from '../present/change-steps.ts';
import { argumentsOf, findCampaign } from './campaign-pages.ts';
import type { Present } from './current-values.ts';
import { addedBy, effectOfAdding, effectOn, type PageEffect } from './group-effect.ts';

type WriteStep = Step<TrackerRequest>;

/** A line names so many pages; the steps below it name all. */
const maxNamed = 6;

/** What a person reads first of a proposal: `“Home fitness”: “Home gym” 40% to 80% of the traffic`. Throws a TrackerFailure. */
export async function summarize(
  steps: readonly WriteStep[],
  present: Present,
  context: CallContext,
): Promise<readonly string[]> {
  const campaignOf = ({ request }: WriteStep) => Number(request.arguments['campaign_id']);
  const ofPages = steps.filter(({ request }) => request.endpoint.record === 'campaign_page');
  return Promise.all([
    ...[...new Set(ofPages.map(campaignOf))].map((id) => {
      const own = ofPages.filter((step) => campaignOf(step) === id);
      return summarizePages(id, own, present, context);
    }),
    ...steps.filter((step) => !ofPages.includes(step)).map((step) => summarizeRecord(step, context)),
  ]);
}

/** Options of a campaign, or a predefined offer or landing page. */
async function summarizeRecord({ request, before = {} }: WriteStep, context: CallContext): Promise<string> {
  const { endpoint, arguments: given } = request;
  const changes = changesIn(endpoint.name, given, before, context.currency).join(', ');
  const kind = endpoint.record === 'offer' ? 'offer' : 'landing page';
  if (endpoint.access === 'create') return `A new ${kind}, in no campaign yet: ${changes}`;
  const id = Number(given['campaign_id'] ?? given['offer_id'] ?? given['landing_page_id']);
  if (endpoint.record !== 'campaign') return `Predefined ${kind} ${id}: ${changes}`;
  const campaign = await findCampaign(id, context, { once: true, reuse: true });
  return `${campaignNamed(campaign?.name, id)}: ${changes}`;
}

async function summarizePages(
  campaignId: number,
  steps: readonly WriteStep[],
  present: Present,
  { currency }: CallContext,
): Promise<string> {
  const { campaign, pages, groups, sharesOnePool } = await present.pages(campaignId);
  const edits = steps.filter(({ request }) => request.endpoint.access === 'update');
  const changes = new Map(
    edits.map(({ request: { arguments: given } }) => [String(given['page_id']), argumentsOf(given)] as const),
  );
  const effects = groups.flatMap((group) => effectOn(group, changes).pages);
  const said = [
    ...edits.map(({ request: { endpoint, arguments: given }, before = {} }) => {
      const pageId = String(given['page_id']);
      const name = pages.find((page) => page.pageId === pageId)?.name;
      const effect = effects.find(({ page }) => page.pageId === pageId);
      const { share, active, ...rest } = given;
      const others = changesIn(endpoint.name, rest, before, currency);
      const moves = share === undefined && active === undefined ? [] : movesInWords({ share, active }, before, effect);
      return `${name ? quoted(name, 60) : `page ${pageId}`} ${[...moves, ...others].join(', ')}`;
    }),
    ...steps
      .filter((step) => !edits.includes(step))
      .map(({ request: { endpoint, arguments: given } }) => {
        const page = addedBy(endpoint, given, pages);
        const effect = effectOfAdding(page, pages, sharesOnePool).pages.find((one) => one.page === page);
        const percent = effect?.after.percent ?? null;
        const traffic = percent === null ? 'how much traffic it gets is not known' : `${percent}% of the traffic`;
        const kind = page.kind === 'offer' ? 'offer' : 'landing page';
        const share = page.share === null ? 'without a share' : `with share ${page.share}`;
        return `a new ${kind} ${page.name === null ? '' : `${quoted(page.name, 60)} `}${share}, ${traffic}`;
      }),
  ];
  const more = said.length > maxNamed ? [`and ${said.length - maxNamed} more pages`] : [];
  return `${campaignNamed(campaign?.name, campaignId)}: ${[...said.slice(0, maxNamed), ...more].join('; ')}`;
}

function campaignNamed(name: Parameters<typeof quoted>[0] | undefined, id: number): string {
  return name === undefined ? `Campaign ${id}` : quoted(name, 80);
}

/** `40% to 80% of the traffic`; the shares, if it is not known what part of the traffic they are. */
function movesInWords({ share, active }: Given, before: Given, effect: PageEffect | undefined): readonly string[] {
  const [from, to] = [effect?.before.percent ?? null, effect?.after.percent ?? null];
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
