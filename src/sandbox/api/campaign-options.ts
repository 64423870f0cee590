import type { EndpointArguments } from '../../api/endpoints.ts';
import type { Writer } from '../store/database.ts';
import { requireCampaign } from '../store/find-campaign.ts';
import { type ColumnTypes, changeRow, moneyType } from './change-row.ts';

const optionTypes: ColumnTypes = {
  engage_rate: moneyType,
  bid: moneyType,
  priority: 'INTEGER',
  pass_subid_to_landing_page: 'BOOLEAN',
  pass_subid_to_offer: 'BOOLEAN',
};

/** Changes the given options of a campaign; throws a Refusal when there is no such campaign. */
export async function editCampaign(writer: Writer, given: EndpointArguments<'edit_campaign'>): Promise<void> {
  const { id } = await requireCampaign(writer, given.campaign_id);
  await changeRow(writer, 'campaigns', optionTypes, given, 'id = $id', { id });
}
