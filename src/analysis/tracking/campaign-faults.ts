import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { changeIn, countFrom, isBeyondChance, shareOf, sumOf } from './counts.ts';
import type { Gathered } from './gathered.ts';
import { macroIn } from './macros.ts';
import { among, found, type Looked, minVisits, ofCampaign } from './token-faults.ts';

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
  const { campaign, pages: own } = gathered;
  const landing = [...own.values()].filter(({ kind }) => kind === 'landing');
  const sold = all.reduce((sum, { sales }) => sum + sales, 0);
  const offered = sumOf(
    all.flatMap((one) =>
      [...one.pages.values()].flatMap(({ kind, unclicked }) => (kind === 'offer' ? [countFrom(unclicked, '')] : [])),
    ),
  );
  return [...own.values()].flatMap(({ kind, name, subids, unclicked, sales }): TrackingFault[] => {
    const fault = { ...ofCampaign(gathered), page: name, counts: 'visit', example: null } as const;
    const bare = hasSubids ? found(subids, first) : undefined;
    if (bare && bare.visits >= minVisits && shareOf(changeIn(subids).after) > 0.5)
      return [{ code: 'no_subid', ...fault, ...bare, at: 'page', use: 'subid={!subid!}' }];
    const { before, after } = changeIn(unclicked);
    const others = sumOf(landing.flatMap((page) => (page.name === name ? [] : [countFrom(page.unclicked, '')])));
    const usual = before.of > 0 ? 1 - shareOf(before) : others.of > 0 ? 1 - shareOf(others) : 0;
    const lost =
      kind === 'landing' && after.bad === after.of && usual * after.of > minMissed
        ? found(unclicked, first)
        : undefined;
    if (lost) return [{ code: 'clicks_without_subid', ...fault, ...lost, at: 'page', ...clickLink(campaign.link) }];
    const reached = countFrom(unclicked, '').of;
    const isUnsold = kind === 'offer' && sales === 0 && (sold / Math.max(offered.of, 1)) * reached > minMissed;
    if (!isUnsold || campaign.passesSubidToOffer !== false) return [];
    const days = new Map([...unclicked].map(([day, { of }]) => [day, { of, bad: of, money: 0 }]));
    const fields = found(days, first);
    return fields ? [{ code: 'offer_without_subid', ...fault, ...fields, at: 'campaign' }] : [];
  });
}

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
    const days = new Map([...visits].map(([day, { of, bad }]) => [day, { of, bad: of - bad, money: 0 }]));
    const fields = found(days, first);
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
  const days = new Map([...visits].map(([day, { of }]) => [day, { of, bad: of, money: 0 }]));
  const fields = found(days, first);
  if (!fields || fields.visits < minVisits || !isBeyondChance(countFrom(days, first), 0.01)) return [];
  return [{ code: 'visits_while_off', ...ofCampaign(gathered), ...fields, counts: 'visit', example: null, at: 'ads' }];
}
