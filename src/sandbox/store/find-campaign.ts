import { Refusal } from '../refusal.ts';
import type { Reader } from './database.ts';
import type { CampaignType, PageKind } from './schema.ts';

/** What the parameters and columns of a campaign's pages mean, by the type of the campaign. */
interface TypeTraits {
  /** Landing pages have a level. */
  readonly hasLevels?: true;
  /** The kinds of pages that have a path; for offers it may be an option group. */
  readonly kindsWithPath: readonly PageKind[];
  /** Visitors can subscribe. */
  readonly hasSubscribers?: true;
}

/** "Landing page management" rule 4, "Offer management" rule 3 and "Campaign management" of the specification. */
export const traitsOfType: Readonly<Record<CampaignType, TypeTraits>> = {
  'Landing Page Sequence': { hasLevels: true, kindsWithPath: ['offer'] },
  'Multiple Path': { kindsWithPath: ['landing', 'offer'] },
  'Email FollowUp': { kindsWithPath: ['landing', 'offer'] },
  'Multiple Option': { kindsWithPath: ['offer'] },
  'Direct Link and Landing Page': { kindsWithPath: [] },
  'Lead Capture': { kindsWithPath: [], hasSubscribers: true },
};

export interface Campaign {
  readonly id: number;
  readonly name: string;
  readonly type: CampaignType;
  readonly trafficSourceId: number;
}

/** Finds a campaign by ID; throws a Refusal when there is none. */
export async function requireCampaign(reader: Reader, id: number): Promise<Campaign> {
  const [row] = await reader.query('SELECT id, name, type, traffic_source_id FROM campaigns WHERE id = $id::BIGINT', {
    id,
  });
  if (!row) {
    throw new Refusal('unknown-record', `There is no campaign with ID ${id}.`, 'campaign/list has the campaigns.');
  }
  return {
    id,
    name: String(row['name']),
    type: String(row['type']) as CampaignType,
    trafficSourceId: Number(row['traffic_source_id']),
  };
}
