import { basename, dirname, join } from 'node:path';
import * as toml from '@decimalturn/toml-patch';
import { applyEdits, findNodeAtLocation, format, modify, type ParseError, parse, parseTree } from 'jsonc-parser';
import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { isSameData } from '../../api/text/json.ts';
import { findFile, whyNot } from '../../files/at-path.ts';
import { ifThere, listFiles, readBytes } from '../../files/read-file.ts';
import { createFile, makeFolder, removeFile, replaceFile } from '../../files/write-file.ts';
import type { Client } from './clients.ts';

/** Reads, edits and writes the file in which a client keeps its servers. */

/** The property that holds the servers, and the name of the server in it. */
type Path = readonly [at: string, name: string];

interface FileFormat {
  /** @throws Error if the text has another format */
  readonly read: (text: string) => unknown;
  readonly remove: (text: string, path: Path) => string;
  /** Adds an entry; there is none yet. */
  readonly add: (text: string, path: Path, entry: unknown) => string;
}

const table = z.record(z.string(), z.unknown()).optional();

/**
 * Finds the entry of a server in the text of a client’s file.
 *
 * @returns its value, if there is one, and a function that makes the text with another entry or with none. Everything else in the
 * text remains as it is, comments and spaces included.
 * @throws Failure if the text cannot be read
 */
export function findEntry(
  { format, at, title }: Pick<Client, 'format' | 'at' | 'title'>,
  text: string,
  name: string,
  file: string,
) {
  const { read, remove, add } = format === 'toml' ? tomlFile : jsonFile;
  // Editors on Windows put a byte order mark first, which is not JSON.
  const [mark = ''] = /^\ufeff/.exec(text) ?? [];
  const content = text.slice(mark.length);
  const start = content.trim() === '' && format !== 'toml' ? '{}\n' : content;
  let servers: z.infer<typeof table>;
  try {
    servers = table.parse(table.parse(read(start))?.[at]);
  } catch {
    throw new Failure(
      `The settings of ${title} cannot be read: ${file}.`,
      `They must be ${format === 'toml' ? 'TOML' : 'a JSON object'}; correct them, and nothing is lost.`,
    );
  }
  const value = Object.entries(servers ?? {}).find(([key]) => key === name)?.[1];
  const cleared = value === undefined ? start : remove(start, [at, name]);
  const write = (entry?: Readonly<Record<string, unknown>>) =>
    mark + (entry === undefined ? cleared : add(cleared, [at, name], entry));
  return { value, write };
}

/** JSON with comments and trailing commas. Only the entry is formatted: the library would format its neighbours as well. */
const jsonFile: FileFormat = {
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
    // If a comment ends the line before, what follows must remain on its own line.
    const isApart = /^[ \t]*(\r?\n|$)/.test(after) || /\{\s*$/.test(before);
    return isApart ? before.trimEnd() + after : before + after.trimStart();
  },
  add: (text, path, entry) => {
    // First in its object, where no comment is separated from its line.
    const [edit] = modify(text, [...path], entry, { getInsertionIndex: () => 0 });
    if (!edit) return text;
    const { offset, content } = edit;
    const [, indent = '  '] = /^(\t| +)\S/m.exec(text) ?? [];
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    // With the opening brace, and the closing one if the object has nothing else.
    const range = { offset: offset - 1, length: content.length + (content.endsWith(',') ? 1 : 2) };
    const added = applyEdits(text, [edit]);
    return applyEdits(added, format(added, range, { insertSpaces: indent !== '\t', tabSize: indent.length, eol }));
  },
};

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const tomlFile: FileFormat = {
  read: (text) => toml.parse(text),
  remove: (text, [at, name]) => {
    const { [at]: { [name]: _, ...others } = {}, ...tables } = toml.parse(text) as Tables;
    return toml.patch(text, Object.keys(others).length === 0 ? tables : { ...tables, [at]: others });
  },
  add: (text, [at, name], entry) => {
    const tables = toml.parse(text) as Tables;
    const wanted = { ...tables, [at]: { ...tables[at], [name]: entry } };
    // A person would write a table at the end. That is not valid TOML if the file has all servers on one line.
    const lines = toml.stringify({ [at]: { [name]: entry } }, { inlineTableStart: 3 }).replace(`[${at}]\n`, '');
    const appended = text.trim() === '' ? text + lines.trimStart() : text.replace(/(?<!\n)$/, '\n') + lines;
    try {
      // Compared as JSON, because times are objects of the library.
      if (isSameData(toml.parse(appended), wanted)) return appended;
    } catch {}
    return toml.patch(text, wanted);
  },
};

export interface FileChange {
  readonly file: string;
  /** Undefined if there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** Only the user may look into its folder, and no copy of the old text is kept. */
  readonly isSecret?: boolean;
}

/** The text of a file; undefined if there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  const read = await ifThere(readBytes(file)).catch((error: unknown) => {
    throw new Failure(`${file} cannot be read (${whyNot(error)}).`, 'Nothing in it was changed.');
  });
  return read?.bytes.toString('utf8');
}

/** What stands before a secret in an entry: the API key, or the token of a server over HTTP. */
const beforeSecret = /(?:\bTRACKER_API_KEY"?\s*[:=]\s*["']|\bAuthorization"?\s*[:=]\s*["']Bearer )/;

/** The lines that change, as a diff, with a masked key or token. */
export function changedLines(before = '', after: string): string {
  const [old, changed] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const shortest = Math.min(old.length, changed.length);
  let start = 0;
  while (start < shortest && old[start] === changed[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === changed.at(-1 - end)) end += 1;
  const part = (lines: readonly string[], sign: string) =>
    lines.slice(start, lines.length - end).map((line) => `  ${sign} ${line}`.trimEnd());
  const lines = [...part(old, '-'), ...part(changed, '+')].join('\n');
  return lines.replace(new RegExp(`(${beforeSecret.source})[^"'\\n]*`, 'g'), '$1***');
}

/**
 * Writes the whole file at once, so that a crash leaves the old text or the new one, and keeps a copy of the old text instead of older
 * copies. A file that holds a key or token, and its copy, are for their owner alone.
 *
 * @returns the path of the copy; undefined if there is none
 * @throws Failure if it cannot be written, or another program has changed it
 */
export async function applyChange({ file, before, after, isSecret = false }: FileChange): Promise<string | undefined> {
  if ((await readIfThere(file)) !== before) {
    throw new Failure(`${file} was changed by another program.`, 'Close that program, and try again.');
  }
  const holdsSecret = [before, after].some((text) => text !== undefined && beforeSecret.test(text));
  try {
    await makeFolder(dirname(file), isSecret ? 0o700 : 0o777);
    let copy: string | undefined;
    if (before !== undefined && !isSecret) {
      const { path } = await findFile(file);
      copy = `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}.bak`;
      await createFile(copy, (await readBytes(path)).bytes, { like: path, isSecret: holdsSecret });
    }
    await replaceFile(file, after, { isSecret: isSecret || holdsSecret });
    if (copy !== undefined) await removeOlderBackups(file, copy);
    return copy;
  } catch (error) {
    throw new Failure(`${file} cannot be written (${whyNot(error)}).`, 'Nothing in it was changed.');
  }
}

/** The copies of a client’s file that earlier changes kept. */
export async function backupsOf(file: string): Promise<readonly string[]> {
  const { path } = await findFile(file);
  const names = await listFiles(dirname(path), /\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.bak/, basename(path));
  return names.map((name) => join(dirname(path), name));
}

/** A copy that cannot be removed does no harm. */
async function removeOlderBackups(file: string, newest: string): Promise<void> {
  const older = (await backupsOf(file).catch(() => [])).filter((copy) => copy !== newest);
  await Promise.allSettled(older.map(removeFile));
}
