import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { among, changeIn, countFrom, type Days, shareOf, sumOf, sumOfDays } from './counts.ts';
import type { Gathered, GatheredPage } from './gathered.ts';
import { macroIn } from './macros.ts';
import { found, type Looked, minVisits, ofCampaign } from './token-faults.ts';

/** A tracker gives every visit a subID: even a few wrong ones are a fault. */
const minSubids = 5;

/** So many clicks or sales must have been missed: none by chance is one in 100,000. */
const minMissed = 12;

const hourMs = 3_600_000;

/** Faults of a campaign's pages, subIDs, link and state. */
export function campaignFaults(gathered: Gathered, looked: Looked): TrackingFault[] {
  return [
    ...wrongSubids(gathered, looked),
    ...pages(gathered, looked),
    ...undeclared(gathered, looked),
    ...whileOff(gathered, looked),
  ];
}

function wrongSubids(gathered: Gathered, { first }: Looked): TrackingFault[] {
  return [...gathered.subids].flatMap(([code, { days, example }]): TrackingFault[] => {
    const fields = found(among(days, gathered.visits), first);
    if (!fields || fields.visits < minSubids) return [];
    return [{ code, ...ofCampaign(gathered), ...fields, counts: 'visit', example, at: 'page' }];
  });
}

function pages(gathered: Gathered, { first, all, hasSubids }: Looked): TrackingFault[] {
  const { campaign, sales } = gathered;
  const [landing, offers] = (['landing', 'offer'] as const).map((asked) =>
    [...gathered.pages.values()].filter(({ kind }) => kind === asked),
  ) as [GatheredPage[], GatheredPage[]];
  const fault = { ...ofCampaign(gathered), counts: 'visit', example: null } as const;
  const bare = [landing, offers]
    .map((some) => some.filter(({ subids }) => hasSubids && shareOf(changeIn(subids).after) > 0.5))
    .find((some) => some.length > 0);
  const ofBare = bare && found(sumOfDays(bare.map(({ subids }) => subids)), first);
  const noSubid: TrackingFault[] =
    ofBare && ofBare.visits >= minVisits
      ? [
          {
            code: 'no_subid',
            ...fault,
            page: bare?.map(({ name }) => name).join(', '),
            ...ofBare,
            at: 'page',
            use: 'subid={!subid!}',
          },
        ]
      : [];
  const lost = landing.flatMap(({ name, unclicked }): TrackingFault[] => {
    const { before, after } = changeIn(unclicked);
    const others = sumOf(landing.flatMap((page) => (page.name === name ? [] : [countFrom(page.unclicked, '')])));
    const usual = [before, others].find(({ of }) => of > 0);
    const fields =
      usual && after.bad === after.of && (1 - shareOf(usual)) * after.of > minMissed
        ? found(unclicked, first)
        : undefined;
    return fields
      ? [{ code: 'clicks_without_subid', ...fault, page: name, ...fields, at: 'page', ...clickLink(campaign.link) }]
      : [];
  });
  const reached = sumOfDays(offers.map(({ unclicked }) => unclicked));
  const everywhere = sumOf(
    all.flatMap((one) =>
      [...one.pages.values()].flatMap(({ kind, unclicked }) => (kind === 'offer' ? [countFrom(unclicked, '')] : [])),
    ),
  );
  const rate = all.reduce((sum, one) => sum + one.sales, 0) / Math.max(everywhere.of, 1);
  const isUnsold =
    campaign.passesSubidToOffer === false && sales === 0 && rate * countFrom(reached, '').of > 2 * minMissed;
  const unsold = isUnsold ? found(allBad(reached), first) : undefined;
  const most = offers.toSorted((one, other) => countFrom(other.unclicked, '').of - countFrom(one.unclicked, '').of)[0]
    ?.name;
  return [
    ...noSubid,
    ...lost,
    ...(unsold
      ? [{ code: 'offer_without_subid' as const, ...fault, page: most, ...unsold, at: 'campaign' as const }]
      : []),
  ];
}

const allBad = (days: Days): Days =>
  new Map([...days].map(([day, { of, worth }]) => [day, { of, bad: of, money: worth, worth }]));

/** Where calls to action lead, by the campaign's link. */
function clickLink(link: string | null) {
  const base = /^(https?:\/\/[^?#]*\/)base\.php\?/.exec(link ?? '')?.[1];
  return base === undefined ? {} : { use: `${base}base2.php` };
}

/** Parameters of the link with a macro that no token of its source declares. */
function undeclared(gathered: Gathered, { first, all }: Looked): TrackingFault[] {
  const { campaign, visits } = gathered;
  const { tokens } = campaign;
  if (tokens.every(({ parameter }) => parameter === null)) return [];
  const withTokens = new Map(
    [...visits].map(([day, { of, bad, money, worth }]) => [day, { of, bad: of - bad, money: worth - money, worth }]),
  );
  const declared = new Set(tokens.flatMap(({ parameter, label }) => [parameter, label]));
  const links = all
    .filter((one) => one.campaign.source !== campaign.source)
    .map((one) => parametersOf(one.campaign.link));
  return parametersOf(campaign.link).flatMap(([name, value]): TrackingFault[] => {
    const macro = macroIn(value);
    // What the links of most other sources have is the tracker’s own.
    const isOwn = links.filter((pairs) => pairs.some(([other]) => other === name)).length > links.length / 2;
    if (
      !macro ||
      declared.has(name) ||
      isOwn ||
      tokens.some(({ placeholder, parameter }) => placeholder === value && parameter === name)
    )
      return [];
    const fields = found(withTokens, first);
    const token = tokens.find(
      ({ placeholder, parameter }) => parameter !== null && macroIn(placeholder)?.word === macro.word,
    );
    const use = token ? { use: `${token.parameter}=${token.placeholder}` } : {};
    return fields
      ? [
          {
            code: 'undeclared_parameter',
            ...ofCampaign(gathered),
            parameter: name,
            ...fields,
            counts: 'visit',
            example: value,
            at: 'source',
            ...use,
          },
        ]
      : [];
  });
}

function parametersOf(link: string | null): [name: string, value: string][] {
  const pairs = (link ?? '').split('?').slice(1).join('?').split('&');
  return pairs.flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name === '' ? [] : [[name, value.join('=')]];
  });
}

/** Visits that still come, as late as any of the account, to a campaign that is off. */
function whileOff(gathered: Gathered, { first, all }: Looked): TrackingFault[] {
  const { campaign, visits, latest } = gathered;
  const last = Math.max(...all.map((one) => one.latest));
  if (campaign.active !== false || !(last - latest <= 3 * hourMs)) return [];
  const fields = found(allBad(visits), first);
  if (!fields || fields.visits < minVisits) return [];
  return [{ code: 'visits_while_off', ...ofCampaign(gathered), ...fields, counts: 'visit', example: null, at: 'ads' }];
}
