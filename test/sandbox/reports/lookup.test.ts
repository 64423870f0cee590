import { expect, test } from 'vitest';
import { setup, traffic } from '../support/fixture.ts';
import { rowOf, startTracker } from '../support/tracker.ts';

const secondSubscription = `INSERT INTO subscribers VALUES (9, 6, '2026-06-10 12:05:00', 602)`;
const sharedName = `INSERT INTO traffic_source_tokens VALUES (1, 'Extra3', 'Ad', 'ad2', '{ad2}')`;

const tracker = await startTracker([...setup, ...traffic, secondSubscription, sharedName]);

async function groupsOf(subid: string) {
  return (await tracker.ask('click/lookup', { subid })).Groups;
}

test('a converted visitor has times, pages, money and the reports of the sources', async () => {
  expect(await groupsOf('ffffffff_1_00000006')).toEqual({
    'Campaign Data': rowOf(`
      SubID=ffffffff_1_00000006 ClickID=00000006 CampaignID=1 Campaign=Sequence CampaignType=Landing Page Sequence
      TrafficSource=Search Date=2026-06-10 23:30:00 Path=1 LandingPageID=2 LandingPage=Video Clicked=1
      ClickDate=2026-06-11 00:10:00 Subscribed=0 SubscriptionDate= OfferID=4 Offer=Gym OfferSource=Harbor Converted=1
      ConversionDate=2026-06-12 08:00:00 Cost=0.50 Revenue=12.00 TimeZone=America/New_York Referrer=
    `),
    'Geo Data': { IP: '', Country: 'US', Region: '', City: '', ISP: '' },
    'Device Data': { Device: 'Desktop', OS: '', Browser: '', UserAgent: '' },
    'Traffic Source Tokens': {
      ...{ Keyword: 'shoes', 'Ad (AdValue)': 'a1', Cost: '0.50', Click: '', 'Match type': 'exact' },
      ...{ 'Ad group': '', 'Ad (Extra3)': '' },
    },
    'Offer Source Tokens': rowOf('TransactionID=T6 Status=pending Custom1= Custom2= Custom3= Custom4= Custom5='),
  });
});

const written = ['aaaaaaaa_1_00000001', '00000001', '1', '0000000000000000001', ' 1 '];
test.each(written)('%j finds the visitor', async (subid) => {
  expect((await groupsOf(subid))?.['Campaign Data']?.['SubID']).toBe('aaaaaaaa_1_00000001');
});

test('a visitor who did nothing has empty fields and no revenue', async () => {
  const expected = rowOf('Clicked=0 ClickDate= OfferID= Converted=0 Revenue=0.00');
  expect((await groupsOf('4'))?.['Campaign Data']).toMatchObject(expected);
});

test('a visitor who subscribed twice is one visitor, with the time of the first', async () => {
  const expected = { Subscribed: '1', SubscriptionDate: '2026-06-10 08:01:00' };
  expect((await groupsOf('9'))?.['Campaign Data']).toMatchObject(expected);
});

test.each([
  ['00000099', 'No visitor has the subID "00000099"'],
  ['zzzzzzzz_1_00000001', 'No visitor has the subID'],
  ['aaaaaaaa_2_00000001', 'No visitor has the subID'],
  ['AAAAAAAA_1_00000001', 'No visitor has the subID'],
  ['aaaaaaaa_1_1', 'No visitor has the subID'],
  ['9'.repeat(40), 'No visitor has the subID'],
  ['nonsense', 'subid must be a SubID such as'],
  ["1' OR '1'='1", 'subid must be a SubID such as'],
  ['', 'required parameter subid is missing'],
])('%j is refused', async (subid, message) => {
  expect(await tracker.refusal('click/lookup', { subid })).toContain(message);
});
