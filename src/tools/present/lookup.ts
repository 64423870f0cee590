import { cleanText } from '../../api/clean-text.ts';
import type { GroupsReply } from '../../api/replies.ts';
import type { Arguments, ToolResult } from '../define-tool.ts';
import { cleanCell, isTypedByStrangers, longestCell, strangersNotice } from './cells.ts';
import { lookupOutput, type PresentedLookup } from './outputs.ts';
import { largestResult } from './tables.ts';

/**
 * Turns the groups of a lookup into what an agent reads. Values stay text: a ClickID or a zip code that looks like a number
 * is none. Fields behind what one answer can hold are counted, not cut.
 */
export function presentLookup(reply: GroupsReply, query: Arguments): ToolResult {
  let shortened = 0;
  let holdsStrangers = false;
  const groups = reply.groups.map((group) => {
    const isTokens = isTypedByStrangers(group.name);
    const fields = group.fields.map(([name, value]) => {
      const { text, isShortened } = cleanCell(value);
      if (isShortened) shortened += 1;
      holdsStrangers ||= text !== null && (isTokens || isTypedByStrangers(name));
      return [cleanText(name), text] as const;
    });
    return { name: cleanText(group.name), fields: Object.fromEntries(distinct(fields)) };
  });
  const notices = [
    ...reply.notices.map(cleanText),
    ...(groups.length === 0
      ? ['The tracker returned nothing about this visitor: the subID may be of another tracker, or too old.']
      : []),
    ...(shortened > 0
      ? [`${shortened} values longer than ${longestCell} characters were shortened; they end in ….`]
      : []),
    ...(holdsStrangers ? [strangersNotice] : []),
  ];
  const presented = fit({ query: { ...query }, groups, notices });
  return { structured: presented, text: renderText(presented) };
}

/** Two fields of one name are both kept. */
function distinct<Value>(fields: readonly (readonly [string, Value])[]): [string, Value][] {
  const times = new Map<string, number>();
  return fields.map(([name, value]) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [time === 1 ? name : `${name} (${time})`, value];
  });
}

/** Leaves out the largest group's last fields until the answer fits. */
function fit(lookup: PresentedLookup): PresentedLookup {
  const parsed = lookupOutput.parse(lookup);
  let left = 0;
  const notice = () => `${left} more fields did not fit into one answer.`;
  while (JSON.stringify(parsed).length + notice().length + 3 > largestResult) {
    const [largest] = [...parsed.groups].sort(
      (one, other) => JSON.stringify(other.fields).length - JSON.stringify(one.fields).length,
    );
    const last = Object.keys(largest?.fields ?? {}).at(-1);
    if (!largest || last === undefined) break;
    delete largest.fields[last];
    left += 1;
  }
  return left === 0 ? parsed : { ...parsed, notices: [...parsed.notices, notice()] };
}

function renderText({ groups, notices }: PresentedLookup): string {
  const blocks = groups.map(({ name, fields }) => {
    const lines = Object.entries(fields).filter(([, value]) => value !== null);
    const empty = Object.entries(fields).filter(([, value]) => value === null);
    return [
      `${name}:`,
      ...lines.map(([field, value]) => `  ${field}: ${value}`),
      ...(empty.length > 0 ? [`  empty: ${empty.map(([field]) => field).join(', ')}`] : []),
    ].join('\n');
  });
  return [...blocks, ...notices].join('\n\n');
}
