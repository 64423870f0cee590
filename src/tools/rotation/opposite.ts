import { joinWords } from '../../api/rules.ts';
import type { ChangeStep } from '../../guard/changes.ts';
import { isSubject } from '../present/change-steps.ts';

/** What takes a write back. */
export interface Opposite {
  readonly tool: string;
  /** What is sent; absent where nothing can be taken back. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  /** What cannot be taken back, a sentence each. */
  readonly cannot: readonly string[];
}

/** How what was added is switched off, by the tool that added it: the tool, and the argument that names the record. */
const switchOff: Readonly<Record<string, { readonly tool: string; readonly id: string }>> = {
  add_landing_page: { tool: 'edit_landing_page', id: 'landing_page_id' },
  add_offer: { tool: 'edit_offer', id: 'offer_id' },
  add_landing_page_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
  add_offer_to_campaign: { tool: 'edit_campaign_page', id: 'page_id' },
};

/** The write that takes another back, by the values before, as far as there is one. */
export function oppositeOf({ tool, arguments: given, before, id }: ChangeStep): Opposite {
  const addition = switchOff[tool];
  if (addition) {
    const record = id ?? given['page_id'];
    if (record === undefined || record === null) {
      return {
        tool,
        arguments: undefined,
        cannot: [`What ${tool} added cannot be switched off: the tracker named no ID of it.`],
      };
    }
    return {
      tool: addition.tool,
      arguments: {
        ...(given['campaign_id'] === undefined ? {} : { campaign_id: given['campaign_id'] }),
        [addition.id]: Number(record),
        active: false,
      },
      cannot: ['What was added is switched off and stays: the API cannot delete it.'],
    };
  }
  const set = Object.keys(given).filter((name) => !isSubject(tool, name) && name !== 'dry_run');
  const known = set.filter((name) => name in before);
  const lost = set.filter((name) => !(name in before));
  const subjects = Object.entries(given).filter(([name]) => isSubject(tool, name));
  const values = known.map((name) => [name, before[name]] as const);
  // A page that was given another ID goes by that one now.
  const renamed = given['new_page_id'];
  return {
    tool,
    arguments:
      known.length === 0
        ? undefined
        : Object.fromEntries([
            ...subjects,
            ...(renamed === undefined ? [] : [['page_id', renamed] as const]),
            ...values,
          ]),
    cannot: lost.length === 0 ? [] : [`Not taken back: ${joinWords(lost, 'and')}, since nobody knew the value before.`],
  };
}
