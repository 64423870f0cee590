import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from 'jsonc-parser';
import type { FileFormat } from './file-format.ts';

/**
 * JSON with the comments and trailing commas that editors allow. The library says where an edit belongs; its own layout
 * would also lay the neighbours out anew.
 */
export const jsonFile: FileFormat = {
  read: (text) => {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new SyntaxError('not JSON');
    return value;
  },
  remove: (text, path) => {
    const root = parseTree(text);
    const property = root && findNodeAtLocation(root, [...path])?.parent;
    const end = property ? property.offset + property.length : text.length;
    const [comma] = /^\s*,/.exec(text.slice(end)) ?? [];
    const isOnly = property?.parent?.children?.length === 1;
    if (!property || (comma === undefined && !isOnly)) return applyEdits(text, modify(text, [...path], undefined, {}));
    const [before, after] = [text.slice(0, property.offset), text.slice(end + (comma?.length ?? 0))];
    // A comment that ends the line ahead must not swallow what follows.
    const isApart = /^[ \t]*(\r?\n|$)/.test(after) || /\{\s*$/.test(before);
    return isApart ? before.trimEnd() + after : before + after.trimStart();
  },
  add: (text, path, value) => {
    // Ahead of the others, where no comment at the end of a line is torn from its line.
    const [edit] = modify(text, [...path], value, { getInsertionIndex: () => 0 });
    if (!edit) return text;
    const isFollowed = edit.content.endsWith(',');
    const { unit, lineBreak } = layoutOf(text);
    const depth = depthOf(text, path);
    const property = JSON.stringify(parse(`{${edit.content.replace(/^,|,$/g, '')}}`), null, unit)
      .slice(1, -1)
      .trim()
      .split('\n')
      .map((line) => line.replace(new RegExp(`^${unit}`), ''));
    const start = lineBreak + unit.repeat(depth);
    const isAtLineEnd = /^[ \t]*\r?\n/.test(text.slice(edit.offset));
    const end = isFollowed ? ',' : isAtLineEnd ? '' : lineBreak + unit.repeat(depth - 1);
    const content = start + property.join(start) + end;
    return applyEdits(text, [{ ...edit, content }]);
  },
  empty: '{}\n',
};

function layoutOf(text: string): { readonly unit: string; readonly lineBreak: string } {
  const [, unit = '  '] = /^(\t| +)\S/m.exec(text) ?? [];
  return { unit, lineBreak: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** How deep the first name of the path stands that is not there yet; the root is 0. */
function depthOf(text: string, path: readonly string[]): number {
  const root = parseTree(text);
  return path.findIndex((_, index) => !root || !findNodeAtLocation(root, path.slice(0, index + 1))) + 1;
}
