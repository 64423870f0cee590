import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Converts PNG (RFC 2083) from browsers to PNG with a palette, which is a third of the size. */

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColors = 40;
/** The most used colours are areas. Others, from the edges of letters, must differ by this sum of squares over the channels. */
const areaColors = 6;
const minDistance = 700;

/**
 * Reduces a picture to 40 colours: the most used different ones. Others become the nearest of them.
 *
 * @param png eight bits a channel, not interlaced
 */
export function withFewColors(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = chooseColors(pixels);
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color = pixels[y * width + x] ?? 0;
      let index = nearest.get(color);
      if (index === undefined) {
        index = nearestOf(color, palette);
        nearest.set(color, index);
      }
      rows[y * (width + 1) + 1 + x] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per pixel, as indexes into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap(channelsOf));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, row by row. */
  readonly pixels: Uint32Array;
}

function decode(png: Buffer): Picture {
  const data: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(content);
    if (type === 'IDAT') data.push(content);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = header[9] === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index += 1) pixels[index] = bytes.readUIntBE(index * channels, 3);
  return { width, height, pixels };
}

/** Undoes the row filters: each byte is the difference to its left and upper neighbours. */
function unfilter(filtered: Buffer, length: number, height: number, channels: number): Buffer {
  const bytes = Buffer.alloc(length * height);
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (length + 1)] ?? 0;
    for (let x = 0; x < length; x += 1) {
      const at = y * length + x;
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0);
      const above = y === 0 ? 0 : (bytes[at - length] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (bytes[at - length - channels] ?? 0);
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      bytes[at] = (filtered[y * (length + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  return bytes;
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const distance = (value: number) => Math.abs(estimate - value);
  if (distance(left) <= distance(above) && distance(left) <= distance(corner)) return left;
  return distance(above) <= distance(corner) ? above : corner;
}

function chooseColors(pixels: Uint32Array): number[] {
  const count = new Map<number, number>();
  for (const color of pixels) count.set(color, (count.get(color) ?? 0) + 1);
  const chosen: number[] = [];
  for (const [color] of [...count].sort(([, a], [, b]) => b - a)) {
    if (chosen.length === maxColors) break;
    if (chosen.length < areaColors || chosen.every((other) => distanceOf(color, other) >= minDistance))
      chosen.push(color);
  }
  return chosen;
}

function nearestOf(color: number, palette: readonly number[]): number {
  return palette.reduce(
    (best, other, index) => (distanceOf(color, other) < distanceOf(color, palette[best] ?? 0) ? index : best),
    0,
  );
}

function distanceOf(color: number, other: number): number {
  const channels = channelsOf(other);
  return channelsOf(color).reduce((sum, value, index) => sum + (value - (channels[index] ?? 0)) ** 2, 0);
}

function channelsOf(color: number): number[] {
  return [color >> 16, (color >> 8) & 0xff, color & 0xff];
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
