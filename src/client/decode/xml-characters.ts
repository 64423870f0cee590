/** The characters that XML and HTML call by a name, and the ones they number. */

/** HTML names of U+00A0 to U+00FF, in their order. */
const latinNames = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot ' +
  'cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml ' +
  'Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ' +
  'ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');

const named = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ...latinNames.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Object.entries({
    euro: '€',
    trade: '™',
    bull: '•',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    lsaquo: '‹',
    rsaquo: '›',
  }),
]);

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g;

/**
 * Puts characters in the place of their references, once: `&amp;lt;` is the text `&lt;`. What names no character stays as it
 * was written; trackers print URLs without escaping their `&`.
 */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole;
    const codePoint = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return codePoint === 0 || codePoint > 0x10ffff ? whole : String.fromCodePoint(codePoint);
  });
}
