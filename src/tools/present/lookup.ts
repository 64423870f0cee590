import { moneyNote } from '../../analysis/columns/formats.ts';
import { isEmptyLookup, otherVisitor } from '../../analysis/visit-story.ts';
import type { Note, Unworded } from '../../answer/notes.ts';
import type { Group, GroupsReply } from '../../api/table.ts';
import { rawText, shownNames } from '../../api/text/tracker-text.ts';
import type { Answer, Query } from '../define-tool.ts';
import { cleanCell, isUntrustedColumn, strangersText } from './cells.ts';
import type { PresentedLookup } from './outputs.ts';
import { didNotFit } from './tables.ts';

/** Turns the groups of a lookup into an answer. Values stay text, such as ClickIDs and zip codes. Counts what does not fit. */
export function presentLookup(reply: GroupsReply, query: Query, currency: string | undefined): Answer {
  let shortened = 0;
  let hasUntrustedText = false;
  const groupNames = shownNames(reply.groups.map(({ name }) => name));
  const groups = reply.groups.map((group, index) => {
    const name = groupNames[index] ?? '';
    const isTokens = isUntrustedColumn(name);
    const names = shownNames(group.fields.map(([name]) => name));
    const fields = group.fields.map(([, value], index) => {
      const { text, isShortened } = cleanCell(value);
      const field = names[index] ?? '';
      if (isShortened) shortened += 1;
      hasUntrustedText ||= text !== null && (isTokens || isUntrustedColumn(field));
      return [field, text] as const;
    });
    return { name, fields };
  });
  const filled = groups.flatMap(({ fields }) => fields.flatMap(([field, value]) => (value === null ? [] : [field])));
  const ofOther = otherVisitorNote(reply.groups, String(query['subid']));
  const notices = [
    ...reply.notices,
    ...(isEmptyLookup(reply.groups) ? [{ code: 'nothing-about-visitor' } as const] : []),
    ...ofOther,
    ...moneyNote(filled, currency),
    ...(shortened > 0 ? [{ code: 'values-cut', values: shortened } as const] : []),
    ...(hasUntrustedText ? [strangersText] : []),
  ];
  const widest = Math.max(0, ...groups.map(({ fields }) => fields.length));
  return {
    parts: [
      { count: widest, min: Math.min(widest, 1) },
      { count: groups.length, min: 0 },
    ],
    render: ([width = 0, height = 0]) => {
      const shown = groups.slice(0, height).map(({ name, fields }) => ({ name, fields: fields.slice(0, width) }));
      const left = groups.slice(0, height).reduce((sum, { fields }) => sum + Math.max(0, fields.length - width), 0);
      const structured: Unworded<PresentedLookup> = {
        query,
        groups: shown.map(({ name, fields }) => ({ name, fields: Object.fromEntries(fields) })),
        notices: [
          ...notices,
          ...(left > 0 ? [didNotFit('field', left)] : []),
          ...(height < groups.length ? [didNotFit('group', groups.length - height)] : []),
        ],
      };
      return { structured, blocks: [...ofOther, ...shown.map((group) => ({ is: 'fields' as const, ...group }))] };
    },
  };
}

/** A notice if the lookup returned a different visitor. */
export function otherVisitorNote(groups: readonly Group[], subid: string): Note[] {
  const other = otherVisitor(groups, subid);
  return other === undefined ? [] : [{ code: 'other-visitor', subid: rawText(other) }];
}
