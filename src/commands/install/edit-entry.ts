import { Failure } from '../../api/failure.ts';
import type { Client } from './clients.ts';
import type { FileFormat } from './file-format.ts';
import { jsonFile } from './json-file.ts';
import { tomlFile } from './toml-file.ts';

const formats: Readonly<Record<Client['format'], FileFormat>> = { json: jsonFile, toml: tomlFile };

/** An entry in the text of a client's file. */
export interface FoundEntry {
  /** The text with another entry in its place; without one, with none. */
  readonly write: (entry?: Readonly<Record<string, unknown>>) => string;
  /** What stands there; undefined where nothing does. */
  readonly value: unknown;
}

/**
 * Finds the entry of a server in the text of a client's file.
 *
 * @throws Failure where the text cannot be read, which is then left as it is
 */
export function findEntry({ format, at, title }: Client, text: string, name: string, file: string): FoundEntry {
  const { read, remove, add, empty } = formats[format];
  const start = text.trim() === '' ? empty : text;
  let value: unknown;
  try {
    value = [...at, name].reduce<unknown>((found, key) => fieldOf(found, key), read(start));
  } catch {
    throw new Failure(
      `The settings of ${title} cannot be read: ${file}.`,
      `They must be ${format === 'json' ? 'a JSON object' : 'TOML'}; correct them, and nothing is lost.`,
    );
  }
  const path = [...at, name];
  const cleared = value === undefined ? start : remove(start, path);
  return { value, write: (entry) => (entry === undefined ? cleared : add(cleared, path, entry)) };
}

function fieldOf(value: unknown, key: string): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return (value as Readonly<Record<string, unknown>>)[key];
}
