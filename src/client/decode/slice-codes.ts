/** The codes of slices of some bytes, found by their bytes: no object for each slice. */
export class SliceCodes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** The index of each slice plus 1, by its hash; 0 is free. */
  #slots = new Int32Array(512);
  #slices = new Int32Array(3 * 256);
  #count = 0;
  /** The slice that was looked for last: its slot and bounds. */
  #slot = 0;
  #start = 0;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @returns its code; -1 if it is not known */
  find(start: number, end: number): number {
    const slots = this.#slots;
    const slices = this.#slices;
    const mask = slots.length - 1;
    let slot = this.#hash(start, end) & mask;
    for (let index = slots[slot] ?? 0; index > 0; index = slots[slot] ?? 0) {
      const at = 3 * (index - 1);
      if (this.#isSame(slices[at] ?? 0, slices[at + 1] ?? 0, start, end)) return slices[at + 2] ?? 0;
      slot = (slot + 1) & mask;
    }
    [this.#slot, this.#start, this.#end] = [slot, start, end];
    return -1;
  }

  /** Gives a code to the slice that was looked for last. */
  add(code: number): void {
    if (2 * this.#count >= this.#slots.length) this.#grow();
    if (3 * this.#count === this.#slices.length) {
      const slices = new Int32Array(2 * this.#slices.length);
      slices.set(this.#slices);
      this.#slices = slices;
    }
    this.#slices.set([this.#start, this.#end, code], 3 * this.#count);
    this.#count += 1;
    this.#slots[this.#slot] = this.#count;
  }

  #isSame(known: number, endOfKnown: number, start: number, end: number): boolean {
    const length = end - start;
    if (endOfKnown - known !== length) return false;
    const view = this.#view;
    const last = length - 4;
    for (let offset = 0; offset < last; offset += 4)
      if (view.getInt32(known + offset, true) !== view.getInt32(start + offset, true)) return false;
    // The last four bytes may overlap those before.
    if (last >= 0) return view.getInt32(known + last, true) === view.getInt32(start + last, true);
    const bytes = this.#bytes;
    for (let offset = 0; offset < length; offset += 1)
      if (bytes[known + offset] !== bytes[start + offset]) return false;
    return true;
  }

  /** Austin Appleby's MurmurHash2, 32 bits, without its last steps: four bytes at a time, of which the last may overlap those before. */
  #hash(start: number, end: number): number {
    const view = this.#view;
    const last = end - 4;
    let hash = end - start;
    if (last >= start) {
      for (let index = start; index < last; index += 4) hash = mix(hash ^ view.getInt32(index, true));
      return mix(hash ^ view.getInt32(last, true));
    }
    const bytes = this.#bytes;
    let short = 0;
    for (let index = start; index < end; index += 1) short = (short << 8) | (bytes[index] ?? 0);
    return mix(hash ^ short);
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    const freeSlot = (start: number, end: number) => {
      let slot = this.#hash(start, end) & mask;
      while ((slots[slot] ?? 0) > 0) slot = (slot + 1) & mask;
      return slot;
    };
    for (let index = 0; index < this.#count; index += 1)
      slots[freeSlot(this.#slices[3 * index] ?? 0, this.#slices[3 * index + 1] ?? 0)] = index + 1;
    this.#slots = slots;
    this.#slot = freeSlot(this.#start, this.#end);
  }
}

function mix(bits: number): number {
  const product = Math.imul(bits, 0x5bd1e995);
  return product ^ (product >>> 15);
}
