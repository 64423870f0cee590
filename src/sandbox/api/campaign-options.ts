import type { Writer } from '../store/database.ts';
import { requireCampaign } from '../store/find-campaign.ts';
import { type ColumnTypes, changeRow, moneyType } from './change-row.ts';
import type { Given } from './handler.ts';

const optionTypes: ColumnTypes = {
  engage_rate: moneyType,
  bid: moneyType,
  priority: 'INTEGER',
  pass_subid_to_landing_page: 'BOOLEAN',
  pass_subid_to_offer: 'BOOLEAN',
};

/** The arguments of "Edit campaign options". */
export type OptionChange = Given<
  'campaign_id',
  'engage_rate' | 'bid' | 'priority' | 'pass_subid_to_landing_page' | 'pass_subid_to_offer'
>;

/** Changes the given options of a campaign; throws a Refusal when there is no such campaign. */
export async function editCampaign(writer: Writer, given: OptionChange): Promise<void> {
  const { id } = await requireCampaign(writer, given.campaign_id);
  await changeRow(writer, 'campaigns', optionTypes, given, 'id = $id', { id });
}
