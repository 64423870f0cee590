import bowser from 'bowser';
import ipaddr from 'ipaddr.js';
import {
  type Cells,
  type Coded,
  type Coding,
  type IsPlain,
  packCodes,
  type RawCell,
  type Typing,
} from '../api/cells.ts';
import { robotAgent } from '../api/robot-agent.ts';
import { atOnce } from '../api/steps.ts';
import { type Reply, Table } from '../api/table.ts';
import { fromTracker, rawCell, rawText, rawTexts } from '../api/text/tracker-text.ts';
import { nameOf } from '../api/vocabulary.ts';

/** Makes coarse what identifies a visitor: IP addresses and user agents, in whatever cell or field they are. */

/** No part of a longer version. Letters may stand next to it, as in an encoded URL. */
const ipv4 = /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
const ipv6 = /(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:.])/gi;

const isAgentName = nameOf('visitor', 'userAgent');
const isAddressName = nameOf('visitor', 'address');
const agentShape = /^(?:mozilla|opera|dalvik)\/\d/i;

/** More than any browser sends: the time that the parser's patterns take grows with the text. */
const maxAgentLength = 1000;

export function maskVisitors(reply: Reply): Reply {
  if (reply.kind === 'receipt') return reply;
  if (reply.kind === 'tables') return { ...reply, tables: reply.tables.map(maskTable) };
  const groups = reply.groups.map(({ fields, ...group }) => ({
    ...group,
    fields: fields.map(([name, cell]) => {
      const masked = mask(rawCell(cell), rawText(name));
      return [name, masked === null ? null : fromTracker(masked)] as const;
    }),
  }));
  return { ...reply, groups };
}

function maskTable({ name, columns, cells, origin }: Table): Table {
  const names = rawTexts(columns);
  return new Table(rawText(name), names, new MaskedCells(cells, names), origin);
}

/** Cells whose columns are masked when they are first read. */
class MaskedCells implements Cells {
  readonly rowCount: number;
  readonly #cells: Cells;
  readonly #names: readonly string[];
  /** By column; undefined for a column that has nothing to mask. */
  readonly #masked = new Map<number, Coded<RawCell> | undefined>();

  constructor(cells: Cells, names: readonly string[]) {
    this.#cells = cells;
    this.#names = names;
    this.rowCount = cells.rowCount;
  }

  text(row: number, column: number): RawCell {
    const masked = this.#maskedColumn(column);
    return masked ? (masked.values[masked.codes[row] ?? 0] ?? null) : this.#cells.text(row, column);
  }

  numbers(column: number) {
    return this.#maskedColumn(column) ? undefined : this.#cells.numbers(column);
  }

  *coding(columns: readonly number[], isPlain?: IsPlain): Coding {
    const masked: (Coded<RawCell> | undefined)[] = [];
    for (const column of columns) {
      masked.push(this.#maskedColumn(column));
      yield;
    }
    const unmasked = columns.filter((_, index) => !masked[index]);
    const others = [...(yield* this.#cells.coding(unmasked, isPlain))];
    return masked.flatMap((own) => own ?? others.shift() ?? []);
  }

  plainTimes(column: number): (row: number) => number | null {
    return this.#maskedColumn(column) ? () => Number.NaN : this.#cells.plainTimes(column);
  }

  typing(column: number): Typing {
    return this.#maskedColumn(column) ? 'texts' : this.#cells.typing(column);
  }

  get bytes(): number {
    return this.#cells.bytes;
  }

  get characters(): number {
    return this.#cells.characters;
  }

  #maskedColumn(column: number): Coded<RawCell> | undefined {
    if (!this.#masked.has(column)) this.#masked.set(column, this.#mask(column, this.#names[column] ?? ''));
    return this.#masked.get(column);
  }

  #mask(column: number, name: string): Coded<RawCell> | undefined {
    if (!isAddressName(name) && this.#cells.numbers(column)) return undefined;
    const [{ codes, values }] = atOnce(this.#cells.coding([column])) as [Coded<RawCell>];
    const texts = values.map((value) => mask(value, name));
    if (texts.every((text, index) => text === values[index])) return undefined;
    const codeOf = new Map<RawCell, number>();
    for (const text of texts) if (!codeOf.has(text)) codeOf.set(text, codeOf.size);
    const newCodes = texts.map((text) => codeOf.get(text) ?? 0);
    const packed = packCodes(
      Uint32Array.from(codes, (code) => newCodes[code] ?? 0),
      codeOf.size,
    );
    return { codes: packed, values: [...codeOf.keys()] };
  }
}

/** @param name of the column or field */
function mask(text: RawCell, name: string): RawCell {
  if (text === null) return null;
  if (isAgentName(name) || agentShape.test(text)) return describeAgent(text);
  // Some trackers keep an address as a number.
  if (isAddressName(name) && /^\d+$/.test(text)) return networkOf4(ipaddr.parse(text).toString());
  return text.replace(ipv4, networkOf4).replace(ipv6, networkOf6);
}

/** 203.0.113.0/24 for 203.0.113.7; a text that is no address stays. */
function networkOf4(text: string): string {
  const octets = text.split('.').map(Number);
  return octets.every((octet) => octet <= 255) ? `${octets.slice(0, 3).join('.')}.0/24` : text;
}

/** 2001:db8:1::/48 for 2001:db8:1:2::5; a text that is no address stays, such as a time. */
function networkOf6(text: string): string {
  if (!/[\da-f]/i.test(text) || !ipaddr.IPv6.isValid(text)) return text;
  return `${new ipaddr.IPv6([...ipaddr.IPv6.parse(text).parts.slice(0, 3), 0, 0, 0, 0, 0])}/48`;
}

/** Browser, system and device, and the word of a robot; of an unknown program its name. */
function describeAgent(text: string): string {
  const agent = text.slice(0, maxAgentLength).trim();
  if (agent === '') return text;
  const { browser, os, platform } = bowser.parse(agent);
  const known = [browser.name, os.name, platform.type].filter(Boolean);
  const [robot] = robotAgent.exec(agent) ?? [];
  if (known.length === 0) known.push(/^[\w.-]+/.exec(agent)?.[0] ?? 'unknown');
  return robot === undefined || robotAgent.test(known.join(' ')) ? known.join(', ') : [...known, robot].join(', ');
}
