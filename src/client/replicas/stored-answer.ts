import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Reading } from '../decode/decode.ts';
import { fromText, toText } from '../kept/answer-text.ts';

/** Less is stored as it is: to compress it would take longer than to send it. */
const minCompressed = 8 * 1024;

/** More than the text of any answer that is stored. */
const maxInflated = 64 * 1024 * 1024;

/** The first byte of compressed data; JSON starts with another. */
const deflateMark = 0x78;

/** A reading as bytes that another server can read. */
export async function packAnswer(reading: Reading): Promise<Uint8Array> {
  const json = Buffer.from(toText(reading));
  return json.length < minCompressed ? json : promisify(deflate)(json, { level: 1 });
}

/** @returns undefined where the bytes are none that this version stores */
export async function unpackAnswer(bytes: Uint8Array): Promise<Reading | undefined> {
  try {
    const json = bytes[0] === deflateMark ? await promisify(inflate)(bytes, { maxOutputLength: maxInflated }) : bytes;
    return fromText(Buffer.from(json).toString());
  } catch {
    return undefined;
  }
}
