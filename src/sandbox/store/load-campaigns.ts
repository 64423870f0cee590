import type { CampaignType, PageKind } from '../../api/campaign-types.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import type { Campaign, CampaignPage, Token } from '../rotation/choose-page.ts';
import { parseMoney } from '../rotation/records.ts';
import type { Readable, Row } from './database.ts';

/** Reads the setup of every campaign, active or not. */
export async function loadCampaigns(data: Readable): Promise<ReadonlyMap<number, Campaign>> {
  // A single statement, so that everything is read from one state of the data.
  const rows = await data.query(`
    SELECT campaign.id, campaign.type, campaign.link_key, campaign.active, campaign.bid,
      campaign.pass_subid_to_landing_page, campaign.pass_subid_to_offer,
      (SELECT list({slot: token.slot, parameter: token.parameter}) FROM traffic_source_tokens token
        WHERE token.traffic_source_id = campaign.traffic_source_id) AS tokens,
      (SELECT list({id: page.id, page_id: page.page_id, kind: page.kind, url: page.url, active: page.active,
          share: page.share::VARCHAR, level: page.level, path: page.path, payout: page.payout::VARCHAR} ORDER BY page.id)
        FROM campaign_pages page WHERE page.campaign_id = campaign.id) AS pages
    FROM campaigns campaign`);
  return new Map(rows.map((row) => [Number(row['id']), toCampaign(row)]));
}

function toCampaign(row: Row): Campaign {
  return {
    id: Number(row['id']),
    type: row['type'] as CampaignType,
    linkKey: String(row['link_key']),
    active: row['active'] === true,
    bid: toMoney(row['bid']),
    passSubidToLandingPage: row['pass_subid_to_landing_page'] === true,
    passSubidToOffer: row['pass_subid_to_offer'] === true,
    tokens: toRows(row['tokens']).map(toToken),
    pages: toRows(row['pages']).map(toPage),
  };
}

function toToken(row: Row): Token {
  return { slot: row['slot'] as TokenSlot, parameter: String(row['parameter']) };
}

function toPage(row: Row): CampaignPage {
  return {
    id: Number(row['id']),
    pageId: Number(row['page_id']),
    kind: row['kind'] as PageKind,
    url: String(row['url']),
    active: row['active'] === true,
    share: Number(row['share']),
    level: Number(row['level']),
    path: Number(row['path']),
    payout: toMoney(row['payout']),
  };
}

/** A LIST of STRUCTs comes as an array of objects, or as null if it is empty. */
function toRows(value: unknown): Row[] {
  return Array.isArray(value) ? value : [];
}

function toMoney(value: unknown) {
  return parseMoney(String(value)) ?? 0n;
}
