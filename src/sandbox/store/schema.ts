import { extraSlots, type TokenSlot } from '../../api/token-slots.ts';

/** The token slots of a visit and their columns, in the order of the columns. */
export const visitTokens: readonly { readonly slot: Exclude<TokenSlot, 'Cost'>; readonly column: string }[] = [
  { slot: 'Keyword', column: 'keyword' },
  { slot: 'AdValue', column: 'ad_value' },
  ...extraSlots.map((slot) => ({ slot, column: slot.toLowerCase() })),
  { slot: 'ExternalID', column: 'external_id' },
];

/**
 * The setup (settings, sources, campaigns, pages) is edited in place. What visitors do (visits, steps, subscribers) is only
 * appended, with DuckDB's Appender and without an index; only a conversion can be changed, by a later postback. Moments are
 * TIMESTAMPTZ, so that days can be cut in any time zone. Money is DECIMAL, never a float.
 */
export const schema = `
CREATE TABLE IF NOT EXISTS settings (
  name VARCHAR PRIMARY KEY,      -- api_key, api_enabled (1/0), time_zone, ...
  value VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS offer_sources (name VARCHAR PRIMARY KEY);
CREATE TABLE IF NOT EXISTS traffic_sources (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS traffic_source_tokens (
  traffic_source_id INTEGER NOT NULL,
  slot VARCHAR NOT NULL,         -- Keyword, AdValue, Extra1 .. Extra15, Cost, ExternalID
  name VARCHAR NOT NULL,         -- its name in reports
  parameter VARCHAR NOT NULL,    -- the URL parameter that carries it
  placeholder VARCHAR NOT NULL   -- the text that the traffic source replaces, such as {keyword}
);
CREATE TABLE IF NOT EXISTS landing_pages (
  id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, url VARCHAR NOT NULL, active BOOLEAN NOT NULL, notes VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS offers (
  id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, url VARCHAR NOT NULL, active BOOLEAN NOT NULL,
  source VARCHAR, payout DECIMAL(18, 6) NOT NULL, notes VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS campaigns (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  type VARCHAR NOT NULL,         -- one of campaignTypeNames
  link_key VARCHAR NOT NULL,     -- the 32 hex digits of the campaign URL; not the API key
  traffic_source_id INTEGER NOT NULL,
  active BOOLEAN NOT NULL,
  engage_rate DECIMAL(18, 6) NOT NULL,
  bid DECIMAL(18, 6) NOT NULL,   -- the cost of a visit if its link has no cost
  priority INTEGER NOT NULL,
  pass_subid_to_landing_page BOOLEAN NOT NULL,
  pass_subid_to_offer BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS campaign_pages (
  id INTEGER PRIMARY KEY,        -- never shown; steps refer to it, so that newpageid does not change history
  campaign_id INTEGER NOT NULL,
  page_id INTEGER NOT NULL,      -- unique within a campaign, checked where it is written (newpageid may swap it)
  kind VARCHAR NOT NULL,         -- one of pageKinds
  predefined_id INTEGER,         -- the landing page or offer it was made from
  name VARCHAR NOT NULL,
  url VARCHAR NOT NULL,
  active BOOLEAN NOT NULL,
  share DECIMAL(9, 4) NOT NULL,
  level INTEGER NOT NULL,        -- landing pages of a Landing Page Sequence; 1 elsewhere
  path INTEGER NOT NULL,         -- path, or for offers of sequence and option campaigns the option group; 1 where unused
  source VARCHAR,
  payout DECIMAL(18, 6) NOT NULL
);
CREATE TABLE IF NOT EXISTS quick_views (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  group_by VARCHAR[] NOT NULL,   -- grcols names: Keyword, AdValue, CampaignID, Extra1 .. Extra15, Offer, Offer2
  metrics VARCHAR[] NOT NULL,    -- column names of the target report
  is_default BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS visits (
  click_id BIGINT NOT NULL,      -- counts up; the last group of the subID
  subid VARCHAR NOT NULL,
  campaign_id INTEGER NOT NULL,
  "at" TIMESTAMPTZ NOT NULL,
  path INTEGER NOT NULL,         -- the path the visitor keeps
  ${visitTokens.map(({ column }) => `${column} VARCHAR`).join(', ')},
  cost DECIMAL(18, 6) NOT NULL,
  ip VARCHAR, country VARCHAR, region VARCHAR, city VARCHAR, isp VARCHAR,
  user_agent VARCHAR, device VARCHAR, os VARCHAR, browser VARCHAR,
  referrer VARCHAR
);
CREATE TABLE IF NOT EXISTS steps (
  click_id BIGINT NOT NULL,
  campaign_id INTEGER NOT NULL,
  "at" TIMESTAMPTZ NOT NULL,
  page INTEGER NOT NULL,         -- campaign_pages.id that the visitor was sent to
  from_page INTEGER              -- campaign_pages.id of the clicked page; NULL on arrival
);
CREATE TABLE IF NOT EXISTS subscribers (
  click_id BIGINT NOT NULL, campaign_id INTEGER NOT NULL, "at" TIMESTAMPTZ NOT NULL, thank_you_page INTEGER
);
CREATE TABLE IF NOT EXISTS conversions (
  click_id BIGINT NOT NULL,
  campaign_id INTEGER NOT NULL,
  "at" TIMESTAMPTZ NOT NULL,
  offer_page INTEGER,            -- campaign_pages.id of the offer the visitor was last sent to
  revenue DECIMAL(18, 6) NOT NULL,
  status VARCHAR, transaction_id VARCHAR,
  custom1 VARCHAR, custom2 VARCHAR, custom3 VARCHAR, custom4 VARCHAR, custom5 VARCHAR
);
`;
