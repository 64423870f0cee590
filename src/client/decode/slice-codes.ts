/** The codes of slices of some bytes, found by their bytes: no object for each slice. */
export class SliceCodes {
  readonly #bytes: Uint8Array;
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
  }

  /** @returns its code; -1 if it is not known */
  find(start: number, end: number): number {
    const bytes = this.#bytes;
    const slots = this.#slots;
    const slices = this.#slices;
    const mask = slots.length - 1;
    let slot = this.#hash(start, end) & mask;
    for (let index = slots[slot] ?? 0; index > 0; index = slots[slot] ?? 0) {
      const at = 3 * (index - 1);
      const known = slices[at] ?? 0;
      let offset = end - start;
      if (slices[at + 1] === known + offset) {
        while (offset > 0 && bytes[start + offset - 1] === bytes[known + offset - 1]) offset -= 1;
        if (offset === 0) return slices[at + 2] ?? 0;
      }
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

  /** Austin Appleby's MurmurHash2, 32 bits, without its last steps: four bytes at a time. */
  #hash(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = end - start;
    let index = start;
    for (; index + 4 <= end; index += 4) {
      const low = (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8);
      const high = (bytes[index + 2] ?? 0) | ((bytes[index + 3] ?? 0) << 8);
      hash = mix(hash ^ (low | (high << 16)));
    }
    for (; index < end; index += 1) hash = mix(hash ^ (bytes[index] ?? 0));
    return hash;
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
