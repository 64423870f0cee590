import type { groupColumns, reportNames } from '../../api/endpoints.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Answer } from '../wire/answer.ts';

/** The arguments of all endpoints by name, with the type that their schema in the contract gives. */
interface ArgumentTypes {
  campaign_id: number;
  reports: readonly (typeof reportNames)[number][];
  start_date: string;
  end_date: string;
  timezone: string;
  quick_view_id: number;
  group_by: readonly (typeof groupColumns)[number][];
  include_extra_tokens: boolean;
  column_set: 'default' | 'all' | 'current';
  max_records: number;
  subid: string;
  status: 'all' | 'active' | 'inactive';
  landing_page_id: number;
  offer_id: number;
  name: string;
  url: string;
  active: boolean;
  notes: string;
  source: string;
  payout: number;
  share: number;
  page_id: number;
  new_page_id: number;
  level: number;
  path: number;
  engage_rate: number;
  bid: number;
  priority: number;
  pass_subid_to_landing_page: boolean;
  pass_subid_to_offer: boolean;
}

type ArgumentName = keyof ArgumentTypes;

/** The arguments a handler works on: some that are always there, and some that may be. */
export type Given<Needed extends ArgumentName, Optional extends ArgumentName = never> = Readonly<
  Pick<ArgumentTypes, Needed> & Partial<Pick<ArgumentTypes, Optional>>
>;

/** What a handler has beside the arguments. */
export interface Surroundings {
  readonly now: Date;
  /** Where this tracker is reached, without a slash at the end. */
  readonly baseUrl: string;
}

/** Answers a reading endpoint from one state of the data. */
export type ReadHandler<Arguments> = (given: Arguments, reader: Reader, surroundings: Surroundings) => Promise<Answer>;

/** Carries out a writing endpoint; all of it happens, or, when it throws, none. */
export type WriteHandler<Arguments> = (given: Arguments, writer: Writer) => Promise<Answer>;
