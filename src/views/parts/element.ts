/** Attributes of an element; `false` and undefined leave one out, `true` sets it empty. */
export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Makes an element. Strings among the children become text nodes: no text can turn into markup, since much of what a
 * report shows was typed in by strangers.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Makes an element of a drawing, by the same rule. */
export function graphic<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}
