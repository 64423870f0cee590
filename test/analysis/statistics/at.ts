/** The element at an index that a test relies on. */
export function at<Element>(list: readonly (Element | undefined)[], index: number): Element {
  const element = list[index];
  if (element === undefined) throw new RangeError(`There is no element ${index}.`);
  return element;
}
