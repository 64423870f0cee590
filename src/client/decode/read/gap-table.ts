/** What stands between the cells of each row, as it is compared fastest: four bytes at once. */
export interface GapTable {
  /** Four bytes each, and where in its gap; the last of a gap may begin inside the one before. */
  readonly words: Int32Array;
  readonly places: Uint32Array;
  /** Which word is the first of each gap; and how many there are. */
  readonly firstWords: Uint32Array;
  readonly lengths: Uint32Array;
  /** Of all of them. */
  readonly bytes: number;
}

/** A shorter gap has no words. */
export const bytesOfWord = 4;

export function tableOf(gaps: readonly Uint8Array[]): GapTable {
  const words: number[] = [];
  const places: number[] = [];
  const firstWords = [0];
  for (const gap of gaps) {
    const view = new DataView(gap.buffer, gap.byteOffset, gap.length);
    const last = gap.length - bytesOfWord;
    for (let place = 0; last >= 0 && place < gap.length; place += bytesOfWord) {
      places.push(Math.min(place, last));
      words.push(view.getInt32(Math.min(place, last), true));
    }
    firstWords.push(words.length);
  }
  return {
    words: Int32Array.from(words),
    places: Uint32Array.from(places),
    firstWords: Uint32Array.from(firstWords),
    lengths: Uint32Array.from(gaps, ({ length }) => length),
    bytes: gaps.reduce((sum, { length }) => sum + length, 0),
  };
}
