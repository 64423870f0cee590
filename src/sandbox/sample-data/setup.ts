import type { CampaignType, PageKind } from '../../api/campaign-types.ts';
import type { TokenSlot } from '../../api/token-slots.ts';

/** The setup of the sample tracker: what a user would have entered by hand. Fields are named as columns. */

export const settings = {
  time_zone: 'UTC',
  conversion_columns_current:
    'Date,SubID,CampaignID,Campaign,Keyword,AdValue,LandingPage,Offer,OfferSource,Revenue,Status,TransactionID',
  visitor_columns_current:
    'Date,SubID,CampaignID,Keyword,AdValue,Country,Device,OS,Browser,LandingPage,Offer,Clicked,Converted,Revenue,Cost',
} as const;

export const offerSources = ['Harbor Affiliates', 'Meadow Media', 'Summit Network', 'In-house'] as const;
export type OfferSource = (typeof offerSources)[number];

interface TrafficSource {
  readonly id: number;
  readonly name: string;
  readonly tokens: readonly (readonly [slot: TokenSlot, name: string, parameter: string, placeholder: string])[];
}

export const trafficSources: readonly TrafficSource[] = [
  {
    id: 1,
    name: 'Lighthouse Search Ads',
    tokens: [
      ['Keyword', 'Keyword', 'keyword', '{keyword}'],
      ['AdValue', 'Ad', 'ad', '{creative}'],
      ['Extra1', 'Match type', 'match', '{matchtype}'],
      ['Extra2', 'Network', 'network', '{network}'],
      ['Cost', 'Cost', 'cost', '{cpc}'],
      ['ExternalID', 'Click', 'lsid', '{click_id}'],
    ],
  },
  {
    id: 2,
    name: 'Panorama Display',
    tokens: [
      ['Keyword', 'Site category', 'category', '[CATEGORY]'],
      ['AdValue', 'Placement', 'placement', '[PLACEMENT]'],
      ['Extra1', 'Banner', 'banner', '[BANNER_ID]'],
      ['Extra2', 'Size', 'size', '[SIZE]'],
      ['Extra3', 'Position', 'position', '[POSITION]'],
      ['Cost', 'Cost', 'cost', '[PRICE]'],
      ['ExternalID', 'Impression', 'imp', '[IMPRESSION_ID]'],
    ],
  },
  {
    id: 3,
    name: 'Postbox Mailer',
    tokens: [
      ['Keyword', 'Segment', 'segment', '*|SEGMENT|*'],
      ['AdValue', 'Subject line', 'subject', '*|SUBJECT_ID|*'],
      ['Extra1', 'List', 'list', '*|LIST|*'],
    ],
  },
  {
    id: 4,
    name: 'Nudge Push',
    tokens: [
      ['Keyword', 'Keyword', 'kw', '{{keyword}}'],
      ['AdValue', 'Creative', 'creative', '{{creative_id}}'],
      ['Extra1', 'Feed', 'feed', '{{feed}}'],
      ['Extra2', 'Subscription age', 'age', '{{subscription_age}}'],
      ['Cost', 'Cost', 'bid', '{{bid}}'],
      ['ExternalID', 'Click', 'nid', '{{click_id}}'],
    ],
  },
];

export interface PredefinedLandingPage {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly active?: false;
  readonly notes?: string;
}

export const landingPages: readonly PredefinedLandingPage[] = [
  { id: 1, name: 'Fitness quiz', url: 'https://go.example.com/fitness/quiz', notes: 'Seven questions' },
  { id: 2, name: 'Fitness video', url: 'https://go.example.com/fitness/video' },
  { id: 3, name: 'Travel comparison', url: 'https://go.example.com/travel/compare' },
  { id: 4, name: 'Travel calculator', url: 'https://go.example.com/travel/calculator' },
  { id: 5, name: 'We miss you', url: 'https://mail.example.org/welcome-back' },
  { id: 6, name: 'Ten percent off', url: 'https://mail.example.org/ten-percent' },
  { id: 7, name: 'Phone plan finder', url: 'https://go.example.com/phone/finder', notes: 'Two calls to action' },
  { id: 8, name: 'Phone plan table', url: 'https://go.example.com/phone/table', notes: 'Two calls to action' },
  { id: 9, name: 'Game trailer', url: 'https://play.example.net/trailer' },
  { id: 10, name: 'Webinar registration', url: 'https://learn.example.com/webinar' },
  { id: 11, name: 'Webinar registration, short', url: 'https://learn.example.com/webinar-short' },
  { id: 12, name: 'VPN speed test', url: 'https://go.example.net/vpn/speed' },
  { id: 13, name: 'VPN warning', url: 'https://go.example.net/vpn/warning' },
  { id: 14, name: 'VPN comparison', url: 'https://go.example.net/vpn/compare' },
  { id: 15, name: 'Credit check', url: 'https://go.example.com/credit/check' },
  { id: 16, name: 'Credit story', url: 'https://go.example.com/credit/story' },
  { id: 17, name: 'Summer sale', url: 'https://go.example.com/summer', active: false, notes: 'Ended' },
  { id: 18, name: 'Language test', url: 'https://learn.example.com/language-test', notes: 'Not launched yet' },
];

export interface PredefinedOffer extends PredefinedLandingPage {
  readonly source: OfferSource;
  readonly payout: number;
}

export const offers: readonly PredefinedOffer[] = [
  record(1, 'FitTrack coaching', 'https://offers.example.com/fittrack?s1={!subid!}', 'Harbor Affiliates', 24),
  record(2, 'Home gym plan', 'https://offers.example.com/homegym?click={!subid!}', 'Summit Network', 32),
  record(3, 'Yoga monthly', 'https://offers.example.com/yoga', 'Meadow Media', 18),
  record(4, 'TripSafe annual', 'https://insure.example.org/tripsafe?aff={!subid!}', 'Harbor Affiliates', 21),
  record(5, 'Nomad cover', 'https://insure.example.org/nomad?aff={!subid!}', 'Summit Network', 27.5),
  record(6, 'Loyalty reorder', 'https://shop.example.com/reorder', 'In-house', 12),
  record(7, 'Gift card', 'https://shop.example.com/gift-card', 'In-house', 9.5),
  record(8, 'Unlimited 5G', 'https://mobile.example.com/unlimited?sid={!subid!}', 'Meadow Media', 15),
  record(9, 'Family plan', 'https://mobile.example.com/family?sid={!subid!}', 'Meadow Media', 15),
  record(10, 'Flex prepaid', 'https://mobile.example.com/flex?sid={!subid!}', 'Harbor Affiliates', 15),
  record(11, 'SIM only', 'https://mobile.example.com/sim-only?sid={!subid!}', 'Summit Network', 11),
  record(12, 'Student SIM', 'https://mobile.example.com/student?sid={!subid!}', 'Summit Network', 8),
  record(13, 'Castle Clash install', 'https://play.example.net/castle?tid={!subid!}', 'Summit Network', 1.8),
  record(14, 'Farm Days install', 'https://play.example.net/farm?tid={!subid!}', 'Meadow Media', 1.2),
  record(15, 'Trading course', 'https://learn.example.com/course', 'In-house', 49),
  record(16, 'Trading starter kit', 'https://learn.example.com/starter-kit', 'In-house', 19),
  record(17, 'ShieldLine 1 year', 'https://vpn.example.net/one-year?c={!subid!}', 'Harbor Affiliates', 34),
  record(18, 'ShieldLine trial', 'https://vpn.example.net/trial?c={!subid!}', 'Harbor Affiliates', 6.5),
  record(19, 'Free credit score', 'https://credit.example.com/score?ref={!subid!}', 'Meadow Media', 4.25),
  record(20, 'Credit card match', 'https://credit.example.com/match?ref={!subid!}', 'Harbor Affiliates', 38),
  { ...record(21, 'Beach bundle', 'https://shop.example.com/beach', 'In-house', 14), active: false, notes: 'Sold out' },
  record(22, 'Language course', 'https://learn.example.com/language', 'In-house', 29),
];

function record(id: number, name: string, url: string, source: OfferSource, payout: number): PredefinedOffer {
  return { id, name, url, source, payout };
}

interface SampleCampaign {
  readonly id: number;
  readonly name: string;
  readonly type: CampaignType;
  readonly traffic_source_id: number;
  readonly bid: number;
  readonly engage_rate?: number;
  readonly priority?: number;
  readonly active?: false;
  readonly pass_subid_to_landing_page?: true;
  readonly pass_subid_to_offer?: false;
  /** Page IDs count from 1, in this order. */
  readonly pages: readonly SamplePage[];
}

export interface SamplePage {
  readonly kind: PageKind;
  /** The ID of the predefined landing page or offer. A thank-you page has none, and brings its own name and URL. */
  readonly predefined: number | { readonly name: string; readonly url: string };
  readonly share: number;
  readonly level?: number;
  readonly path?: number;
  readonly active?: false;
}

const pageOf =
  (kind: PageKind) =>
  (predefined: SamplePage['predefined'], share: number, rest: Partial<SamplePage> = {}): SamplePage => ({
    kind,
    predefined,
    share,
    ...rest,
  });
const [landing, offer, thankYou] = [pageOf('landing'), pageOf('offer'), pageOf('thankyou')];
/** Pages of a path or option group other than 1. */
const onPath = (path: number, ...pages: readonly SamplePage[]) => pages.map((page) => ({ ...page, path }));

export const campaigns: readonly SampleCampaign[] = [
  {
    id: 1,
    name: 'Home fitness, search',
    type: 'Landing Page Sequence',
    traffic_source_id: 1,
    bid: 0.35,
    engage_rate: 40,
    priority: 1,
    pass_subid_to_landing_page: true,
    pages: [landing(1, 50), landing(2, 50), offer(1, 40), offer(2, 40), offer(3, 20)],
  },
  {
    id: 2,
    name: 'Travel insurance, display',
    type: 'Multiple Path',
    traffic_source_id: 2,
    bid: 0.12,
    engage_rate: 25,
    priority: 2,
    pages: [landing(3, 100), offer(4, 60), offer(5, 40), ...onPath(2, landing(4, 100), offer(4, 50), offer(5, 50))],
  },
  {
    id: 3,
    name: 'Win-back newsletter',
    type: 'Email FollowUp',
    traffic_source_id: 3,
    bid: 0.01,
    pages: [landing(5, 100), offer(6, 100), ...onPath(2, landing(6, 100), offer(6, 70), offer(7, 30))],
  },
  {
    id: 4,
    name: 'Phone plans, search',
    type: 'Multiple Option',
    traffic_source_id: 1,
    bid: 0.28,
    priority: 1,
    pass_subid_to_landing_page: true,
    pages: [
      landing(7, 70),
      landing(8, 30),
      offer(8, 60),
      offer(9, 38),
      offer(10, 2),
      ...onPath(2, offer(11, 50), offer(12, 50)),
    ],
  },
  {
    id: 5,
    name: 'Game installs, direct',
    type: 'Direct Link and Landing Page',
    traffic_source_id: 4,
    bid: 0.04,
    pages: [landing(9, 30), offer(13, 40), offer(14, 30)],
  },
  {
    id: 6,
    name: 'Trading webinar',
    type: 'Lead Capture',
    traffic_source_id: 2,
    bid: 0.22,
    pages: [
      landing(10, 50),
      landing(11, 50),
      thankYou({ name: 'Webinar thank you', url: 'https://learn.example.com/thank-you' }, 100),
      offer(15, 50),
      offer(16, 50),
    ],
  },
  {
    id: 7,
    name: 'VPN, push',
    type: 'Landing Page Sequence',
    traffic_source_id: 4,
    bid: 0.05,
    priority: 3,
    pages: [
      landing(12, 60),
      landing(13, 40),
      landing(14, 100, { level: 2 }),
      offer(17, 100),
      ...onPath(2, offer(18, 100)),
    ],
  },
  {
    id: 8,
    name: 'Credit score, native',
    type: 'Multiple Path',
    traffic_source_id: 2,
    bid: 0.31,
    pages: [
      landing(15, 100),
      offer(19, 100),
      ...onPath(2, landing(16, 100), offer(20, 100)),
      ...onPath(3, offer(19, 100)),
    ],
  },
  {
    id: 9,
    name: 'Summer sale',
    type: 'Landing Page Sequence',
    traffic_source_id: 3,
    bid: 0.01,
    active: false,
    pages: [landing(17, 100), offer(21, 80), offer(7, 20)],
  },
  {
    id: 10,
    name: 'Language course, not launched',
    type: 'Multiple Option',
    traffic_source_id: 1,
    bid: 0.2,
    pass_subid_to_offer: false,
    pages: [landing(18, 100), offer(22, 100), ...onPath(2, offer(16, 0, { active: false }))],
  },
];

/** The first is the default. */
export const quickViews = [
  {
    id: 1,
    name: 'Keywords',
    group_by: ['Keyword'],
    metrics: ['Views', 'Clicks', 'CTR', 'Conversions', 'CR', 'Cost', 'Revenue', 'EPV', 'Profit', 'ROI'],
  },
  {
    id: 2,
    name: 'Ads, money only',
    group_by: ['AdValue'],
    metrics: ['Views', 'Cost', 'CPV', 'Revenue', 'EPV', 'EPC', 'Profit', 'ROI', 'CPA'],
  },
  {
    id: 3,
    name: 'Landing pages by offer',
    group_by: ['Offer', 'Offer2'],
    metrics: ['Views', 'Clicks', 'CTR', 'Conversions', 'CR', 'Revenue', 'EPV'],
  },
];
