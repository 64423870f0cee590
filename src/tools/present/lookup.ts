import { isEmptyLookup, otherVisitor } from '../../analysis/visit-story.ts';
import type { Group, GroupsReply } from '../../api/replies.ts';
import { cleanNames } from '../../api/text/clean-text.ts';
import type { Query, ToolResult } from '../define-tool.ts';
import { cleanCell, cleanNotice, isTypedByStrangers, maxCellLength, strangersNotice } from './cells.ts';
import { lookupOutput, type PresentedLookup } from './outputs.ts';
import { maxResultLength } from './tables.ts';

/**
 * Turns the groups of a lookup into what an agent reads. Values stay text: a ClickID or a zip code that looks like a number
 * is none. Fields behind what one answer can hold are counted, not cut.
 */
export function presentLookup(reply: GroupsReply, query: Query): ToolResult {
  let shortened = 0;
  let holdsStrangers = false;
  const groupNames = cleanNames(reply.groups.map(({ name }) => name));
  const groups = reply.groups.map((group, index) => {
    const isTokens = isTypedByStrangers(group.name);
    const names = cleanNames(group.fields.map(([name]) => name));
    const fields = group.fields.map(([name, value], index) => {
      const { text, isShortened } = cleanCell(value);
      if (isShortened) shortened += 1;
      holdsStrangers ||= text !== null && (isTokens || isTypedByStrangers(name));
      return [names[index] ?? '', text] as const;
    });
    return { name: groupNames[index] ?? '', fields: Object.fromEntries(fields) };
  });
  const notices = [
    ...reply.notices.map(cleanNotice),
    ...(isEmptyLookup(reply.groups)
      ? ['The tracker returned nothing about this visitor: the subID may be of another tracker, or too old.']
      : []),
    ...otherVisitorNotice(reply.groups, String(query['subid'])),
    ...(shortened > 0
      ? [`${shortened} values longer than ${maxCellLength} characters were shortened; they end in ….`]
      : []),
    ...(holdsStrangers ? [strangersNotice] : []),
  ];
  const presented = fit({ query: { ...query }, groups, notices });
  return { structured: presented, text: renderText(presented) };
}

/** What is told of another visitor must not be taken for this one's. */
export function otherVisitorNotice(groups: readonly Group[], subid: string): string[] {
  const other = otherVisitor(groups, subid);
  if (other === undefined) return [];
  return [`The tracker answered about ${JSON.stringify(cleanCell(other).text)}, which is not the subID asked for.`];
}

/** Leaves out the last fields of the largest groups until the answer fits. */
function fit(lookup: PresentedLookup): PresentedLookup {
  const parsed = lookupOutput.parse(lookup);
  let most = Math.max(0, ...parsed.groups.map(({ fields }) => Object.keys(fields).length));
  let fitting = parsed;
  for (;;) {
    const size = JSON.stringify(fitting).length;
    if (size <= maxResultLength || most === 0) return fitting;
    most = Math.min(most - 1, Math.floor((most * maxResultLength) / size));
    fitting = withFields(parsed, most);
  }
}

/** The answer with at most so many fields a group. */
function withFields(lookup: PresentedLookup, most: number): PresentedLookup {
  let left = 0;
  const groups = lookup.groups.map(({ name, fields }) => {
    const entries = Object.entries(fields);
    left += Math.max(0, entries.length - most);
    return { name, fields: Object.fromEntries(entries.slice(0, most)) };
  });
  return { ...lookup, groups, notices: [...lookup.notices, `${left} more fields did not fit into one answer.`] };
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
