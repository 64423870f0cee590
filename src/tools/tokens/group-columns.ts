import { groupColumns } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { nearestName, plainName } from '../../api/text/names.ts';
import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import { show } from '../check-arguments.ts';
import { foldNumbered } from '../present/numbered-names.ts';
import { slotLabelled, type TokenLabels } from './token-labels.ts';

type GroupColumn = (typeof groupColumns)[number];

const columnNamed = (name: string): GroupColumn | undefined =>
  groupColumns.find((column) => plainName(column) === plainName(name));

/**
 * The columns of the specification that `group_by` names, each by its own name or by the label of its slot, in any letter case.
 *
 * @param labelsOf asked only where a name is no column of the specification and no number of a slot
 * @throws Failure where there is no such column, or one is named twice
 */
export async function resolveGroups(
  asked: readonly string[],
  labelsOf: () => Promise<TokenLabels>,
): Promise<GroupColumn[]> {
  const isLabel = (name: string) => !columnNamed(name) && !/^extra\d+$/.test(plainName(name));
  const labels: TokenLabels = asked.some(isLabel) ? await labelsOf() : new Map();
  const columns = asked.map((name) => columnNamed(name) ?? columnNamed(slotLabelled(name, labels) ?? ''));
  const unknown = asked.find((_, index) => columns[index] === undefined);
  if (unknown !== undefined) throw noGroup(unknown, labels);
  if (new Set(columns).size < columns.length)
    throw new Failure(`get_stats was not called: group_by must name each column once at most; got ${show(asked)}.`);
  return columns.flatMap((column) => column ?? []);
}

function noGroup(name: string, labels: TokenLabels): Failure {
  const near = nearestName(name, [...labels.values(), ...groupColumns]);
  const named = [...labels]
    .filter(([slot]) => columnNamed(slot))
    .map(([slot, label]) => `${slot} (${mention(fromOutside(label))})`);
  return new Failure(
    `get_stats was not called: group_by must be a list of any of ${foldNumbered(groupColumns).join(', ')}, or names of tokens; got ${show(name)}${near === undefined ? '.' : `, did you mean ${show(near)}?`}`,
    `${named.length > 0 ? `The tokens are: ${named.join(', ')}. ` : ''}By other columns get_breakdown groups.`,
  );
}
