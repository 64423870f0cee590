import type { CampaignType } from '../../api/campaign-types.ts';
import { Refusal } from '../refusal.ts';
import type { Reader } from './database.ts';

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
