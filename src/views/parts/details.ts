import { remarksFor } from '../../tools/present/remarks.ts';
import { element } from './element.ts';

/** What a result says beside its numbers. */
interface Details {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
  readonly calls?: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** The notices for people; then, folded, everything that came with the result. */
export function remarksAndDetails({ query = {}, notices, calls = [] }: Details): readonly Node[] {
  const remarks = remarksFor(notices);
  const asked = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const parts = [
    ...(asked.length > 0 ? [section('Asked for', 'dl', asked.flatMap(argument))] : []),
    ...(calls.length > 0 ? [section('Calls that would set the shares', 'ol', calls.map(call))] : []),
    ...(notices.length > 0
      ? [
          section(
            'Notices',
            'ul',
            notices.map((text) => element('li', {}, text)),
          ),
        ]
      : []),
  ];
  return [
    ...(remarks.length > 0
      ? [
          element(
            'ul',
            { class: 'remarks', 'aria-label': 'Remarks' },
            ...remarks.map((text) => element('li', {}, text)),
          ),
        ]
      : []),
    ...(parts.length > 0
      ? [element('details', { class: 'details' }, element('summary', {}, 'Details'), ...parts.flat())]
      : []),
  ];
}

function section(title: string, kind: 'dl' | 'ol' | 'ul', items: readonly Node[]): Node {
  return element('section', {}, element('h2', {}, title), element(kind, {}, ...items));
}

function argument([name, value]: readonly [string, unknown]): readonly Node[] {
  const text = Array.isArray(value) ? value.map(plain).join(', ') : plain(value);
  return [element('dt', {}, name), element('dd', {}, text)];
}

function call({ tool, arguments: given }: { tool: string; arguments: Readonly<Record<string, unknown>> }): Node {
  return element('li', {}, element('code', {}, `${tool} ${JSON.stringify(given)}`));
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
