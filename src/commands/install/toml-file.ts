import { isDeepStrictEqual } from 'node:util';
import { parse, patch, stringify } from '@decimalturn/toml-patch';
import type { FileFormat } from './file-format.ts';

type Tables = Record<string, unknown>;

/** TOML. The library changes the text where a value changes, and leaves comments where they are. */
export const tomlFile: FileFormat = {
  read: (text) => parse(text),
  remove: (text, path) => patch(text, without(parse(text) as Tables, path)),
  add: (text, path, value) => {
    const addition = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Tables;
    const wanted = merged(parse(text) as Tables, addition);
    // A table of its own at the end is what a person would write; where the file has it all in one line, that is no TOML.
    const appended = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${text.trim() === '' ? '' : '\n'}${tableOf(path, value as Tables)}`;
    return isSame(appended, wanted) ? appended : patch(text, wanted);
  },
  empty: '',
};

/** A table with its values, and those of its values that are tables behind it. */
function tableOf(path: readonly string[], value: Tables): string {
  const entries = Object.entries(value);
  const isTable = (field: unknown) => typeof field === 'object' && field !== null && !Array.isArray(field);
  const own = Object.fromEntries(entries.filter(([, field]) => !isTable(field)));
  const inner = entries.filter(([, field]) => isTable(field));
  const heading = `[${path.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.')}]`;
  const parts = inner.map(([name, field]) => tableOf([...path, name], field as Tables));
  return [`${heading}\n${stringify(own).trimEnd()}\n`, ...parts].join('\n');
}

function isSame(text: string, wanted: Tables): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(wanted));
  } catch {
    return false;
  }
}

/** Times of TOML are objects of the library; as text they are compared by what they say. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function merged(tables: Tables, addition: Tables): Tables {
  const fields = Object.entries(addition).map(([name, value]) => {
    const known = tables[name];
    return [name, known === undefined ? value : merged(known as Tables, value as Tables)] as const;
  });
  return { ...tables, ...Object.fromEntries(fields) };
}

/** The tables without the one at the end of the path; those that hold it stay. */
function without(tables: Tables, [name = '', ...rest]: readonly string[]): Tables {
  const { [name]: inner, ...others } = tables;
  if (rest.length === 0) return others;
  const left = without(inner as Tables, rest);
  // A table that holds nothing more was only there for the entry.
  return Object.keys(left).length === 0 ? others : { ...tables, [name]: left };
}
