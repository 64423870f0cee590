import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { type Node, parseSync, Visitor } from 'oxc-parser';

/** A source file, as walls and hazards check it. */
export interface Source {
  /** Relative to the repository, with slashes on every system. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** The text with comments blanked; line numbers stay the same. */
  readonly withoutComments: string;
  /** The text with comments and quoted text blanked, except import paths. */
  readonly code: string;
  readonly comments: readonly Comment[];
}

export interface Import {
  /** As written: `./a.ts` or a package; undefined if it is computed at run time. */
  readonly specifier: string | undefined;
  readonly line: number;
}

export interface Comment {
  readonly text: string;
  readonly line: number;
}

/** Every TypeScript and JavaScript file of these folders. */
export function readSources(...folders: readonly string[]): Source[] {
  return listFiles(...folders)
    .filter((path) => /\.[jt]s$/.test(path))
    .map((path) => parseSource(path, readFileSync(path, 'utf8')));
}

/** Every file of these folders, sorted. */
function listFiles(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => posix.join(entry.parentPath.replaceAll(sep, '/'), entry.name)),
    )
    .sort();
}

/**
 * Reads one file.
 *
 * @throws if it is not TypeScript, because such a file could import anything
 */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const lineAt = lineFinder(text);
  const imports: Import[] = [];
  const quoted: Span[] = [];
  const imported = new Set<number>();
  const see = (source: Node | null | undefined, at: Span) => {
    const specifier = source?.type === 'Literal' && typeof source.value === 'string' ? source.value : undefined;
    imports.push({ specifier, line: lineAt(at.start) });
    if (source) imported.add(source.start);
  };
  new Visitor({
    ImportDeclaration: (node) => see(node.source, node),
    ExportAllDeclaration: (node) => see(node.source, node),
    ExportNamedDeclaration: (node) => {
      if (node.source) see(node.source, node);
    },
    ImportExpression: (node) => see(node.source, node),
    TSImportType: (node) => see(node.source, node),
    Literal: (node) => {
      if (typeof node.value === 'string' || 'regex' in node) quoted.push(node);
    },
    TemplateElement: (node) => quoted.push(node),
  }).visit(program);
  const withoutComments = blank(text, comments);
  return {
    path,
    text,
    imports,
    withoutComments,
    code: blank(
      withoutComments,
      quoted.filter(({ start }) => !imported.has(start)),
    ),
    comments: comments.map(({ value, start }) => ({ text: value, line: lineAt(start) })),
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function blank(text: string, spans: readonly Span[]): string {
  let blanked = '';
  let done = 0;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    if (start < done) continue;
    blanked += text.slice(done, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    done = end;
  }
  return blanked + text.slice(done);
}

function lineFinder(text: string): (index: number) => number {
  return (index) => text.slice(0, index).split('\n').length;
}
