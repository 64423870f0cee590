/** Shares of the kept letters that stand before the cut, in the order tried: names often differ at their ends. */
const headParts = [0.6, 0.35, 0.85, 0.1, 1];

const segmenter = new Intl.Segmenter();

/**
 * Cuts texts that do not fit in the middle, so that no two of them look the same.
 *
 * @param fits whether a text fits
 */
export function cutLabels(texts: readonly string[], fits: (text: string) => boolean): string[] {
  const whole = new Set(texts.filter(fits));
  const shown = new Set<string>();
  return texts.map((text) => {
    const label = fits(text) && !shown.has(text) ? text : cutApart(text, fits, new Set([...whole, ...shown]));
    shown.add(label);
    return label;
  });
}

function cutApart(text: string, fits: (text: string) => boolean, taken: ReadonlySet<string>): string {
  for (const headPart of headParts) {
    const cut = cutInMiddle(text, fits, headPart);
    if (!taken.has(cut)) return cut;
  }
  for (let number = 2; ; number += 1) {
    const mark = ` (${number})`;
    const cut = cutInMiddle(text, (part) => fits(part + mark), 0.6) + mark;
    if (!taken.has(cut)) return cut;
  }
}

/** As much of both ends of a text as fits, never half of a character. */
export function cutInMiddle(text: string, fits: (text: string) => boolean, headPart = 0.6): string {
  if (fits(text)) return text;
  const characters = [...segmenter.segment(text)].map(({ segment }) => segment);
  const keep = (count: number) => {
    const head = Math.ceil(count * headPart);
    const tail = characters.slice(characters.length - (count - head)).join('');
    return `${characters.slice(0, head).join('').trimEnd()}…${tail.trimStart()}`;
  };
  let [least, most] = [1, characters.length - 1];
  while (least < most) {
    const count = Math.ceil((least + most) / 2);
    if (fits(keep(count))) least = count;
    else most = count - 1;
  }
  return keep(least);
}
