import { startForeignTracker } from './foreign-tracker.ts';

const offer = (PageID: string, Name: string, URL: string, Share: string) => ({
  ...{ PageID, Name, URL, Path: '1', Share, Inactive: '0' },
});

const threeOffers = () => [
  offer('3', 'FitTrack', 'https://fit.example.com', '40'),
  offer('4', 'Home gym', 'https://gym.example.com', '40'),
  offer('5', 'Yoga', 'https://yoga.example.com', '20'),
];

/** A tracker with one campaign and its offers, which keeps the values it gets. Tests may change the records too. */
export async function startKeepingTracker(offers = threeOffers()) {
  const campaign = { ID: '1', Name: 'Search', Type: 'Multiple Path', Bid: '0.10', EngageRate: '40' };
  const ok = { body: '{"Status":"OK"}' };
  const keepPage = ({ pageid, name, url, share, path }: Readonly<Record<string, string>>) => {
    const page = offers.find(({ PageID }) => PageID === pageid);
    const { Name = name, URL = url, Share = share, Path = path } = page ?? {};
    if (page) Object.assign(page, { Name: name ?? Name, URL: url ?? URL, Share: share ?? Share, Path: path ?? Path });
    return ok;
  };
  const tracker = await startForeignTracker({
    'campaign/list': () => ({ body: JSON.stringify([campaign]) }),
    stats: () => {
      const rows = offers.map((page) => ({ ...page, Views: '10', Conversions: '1', Revenue: '1' }));
      return { body: JSON.stringify({ Reports: { landing: [], offer: rows } }) };
    },
    'campaign/edit': ({ bid = campaign.Bid, engage = campaign.EngageRate }) => {
      Object.assign(campaign, { Bid: bid, EngageRate: engage });
      return ok;
    },
    'campaign/editpage': keepPage,
    'offer/add': '{"Status":"OK","ID":"12"}',
    'offer/edit': '{"Status":"OK","ID":"12"}',
  });
  return { tracker, campaign, offers, keepPage };
}
