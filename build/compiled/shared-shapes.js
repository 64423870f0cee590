// Has objects that spread another share their shapes in every version of V8.
import { parseSync, Visitor } from 'oxc-parser';

/** See shared-shapes.d.ts. */
export function withSharedShapes(script) {
  const { program, errors } = parseSync('script.js', script);
  if (errors.length > 0) throw new Error(`What was bundled does not parse: ${errors[0].message}`);
  const places = [];
  new Visitor({
    ObjectExpression({ start, properties: [first] }) {
      if (first?.type === 'SpreadElement' && first.argument.raw !== 'null') places.push(start + 1);
    },
  }).visit(program);
  places.sort((one, other) => one - other);
  const parts = places.map((place, index) => script.slice(places[index - 1], place));
  return [...parts, script.slice(places.at(-1))].join('...null,');
}
