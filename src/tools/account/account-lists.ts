import { indexOfColumn } from '../../analysis/columns/columns.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { askQuickly, optional } from '../asking.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { campaignFinder } from './campaign-of-row.ts';
import { readVisitsInSlices, type Span } from './read-visits.ts';

/** What the lists of all visitors and conversions say of the campaigns that they name. */
export interface AccountLists {
  /** The listed visitors of each campaign that is in some list: 0 if it has conversions alone. */
  readonly visits: ReadonlyMap<ListedCampaign, number>;
  /** The visitors of all of them. */
  readonly rows: number;
  /** Whether a campaign that is in none had nothing. */
  readonly isWhole: boolean;
  /** The network (offer source) of an offer, by its name; undefined if no list says it, or two say different ones. */
  readonly networkOf: (campaign: ListedCampaign, offer: string) => string | undefined;
}

/** A list that is not whole by then says who has traffic, and no more: of a few days that are cut off, it says enough. */
const bounds = { maxRecords: 50_000, maxSlices: 40, maxCutDays: 3 } as const;

/**
 * Reads the lists of the whole account (campaign 0) in at most a third of the time of a call.
 * @param columnSet `all` if networks are asked for, which the default columns may lack
 * @returns undefined if the tracker refuses them, or they name no campaign
 */
export async function readAccountLists(
  campaigns: readonly ListedCampaign[],
  span: Span,
  columnSet: 'default' | 'all',
  context: CallContext,
): Promise<AccountLists | undefined> {
  const find = campaignFinder(campaigns);
  const visits = new Map<ListedCampaign, number>();
  const networks = new Networks();
  let rows = 0;
  let isWhole = true;
  const count = (table: Table, weight: number) => {
    const campaignOf = find(table);
    const learn = networks.learnerOf(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      const campaign = campaignOf(row);
      if (campaign) visits.set(campaign, (visits.get(campaign) ?? 0) + weight);
      else isWhole = false;
      learn?.(row, campaign);
    }
  };
  const addVisits = (table: Table) => {
    rows += table.rowCount;
    count(table, 1);
  };
  const readLists = async (quick: CallContext) => {
    const sold = { campaign_id: 0, start_date: span.start, end_date: span.end, column_set: columnSet };
    const [read, sales] = await Promise.all([
      readVisitsInSlices('0', span, undefined, quick, addVisits, { ...bounds, columnSet }),
      quick.client.read('list_conversions', sold, { signal: quick.signal }),
    ]);
    for (const table of sales.reply.tables) count(table, 0);
    return read.cutDays.length === 0 && read.unreadDays.length === 0;
  };
  const isRead = (await optional(() => askQuickly({ ...context, onProgress: undefined }, readLists), context)) ?? false;
  if (visits.size === 0) return undefined;
  // A tracker that takes "all" for one campaign lists that one alone.
  return { visits, rows, isWhole: isRead && isWhole && visits.size > 1, networkOf: networks.of.bind(networks) };
}

const { offer: offerNames, network: networkNames } = thingsOf('dimension');

/** The networks of offers as rows name them, of a campaign or else of any. */
class Networks {
  readonly #known = new Map<string, string | undefined>();

  /** Learns from the rows of a table; undefined if it names no offers or no networks. */
  learnerOf(table: Table): ((row: number, campaign: ListedCampaign | undefined) => void) | undefined {
    const [offers, networks] = [indexOfColumn(table, offerNames), indexOfColumn(table, networkNames)];
    if (offers === undefined || networks === undefined) return undefined;
    return (row, campaign) => {
      const [offer, network] = [rawCell(table.text(row, offers)), rawCell(table.text(row, networks))];
      if (offer === null || network === null) return;
      for (const key of keysOf(campaign, offer)) {
        const other = this.#known.has(key) ? this.#known.get(key) : network;
        this.#known.set(key, other === network ? network : undefined);
      }
    };
  }

  of(campaign: ListedCampaign, offer: string): string | undefined {
    return keysOf(campaign, offer)
      .map((key) => this.#known.get(key))
      .find((network) => network !== undefined);
  }
}

function keysOf(campaign: ListedCampaign | undefined, offer: string): string[] {
  return [...(campaign ? [JSON.stringify([rawText(campaign.id), offer])] : []), offer];
}
