import type { WireStyle } from './quirks.ts';
import { type Answer, type Fields, renderJson, renderXml, type Tree } from './render.ts';

export const formats = ['json', 'xml'] as const;
export type Format = (typeof formats)[number];

/** An answer as it goes out. */
export interface Written {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const contentTypes = { json: 'application/json; charset=utf-8', xml: 'application/xml; charset=utf-8' };
const plainText = 'text/plain; charset=utf-8';
const html = 'text/html; charset=utf-8';

/** Writes an answer in a format and style; facts page, "The embedded tracker's own wire format". */
export function writeAnswer(answer: Answer, format: Format, style: WireStyle): Written {
  const status = answer.kind === 'error' ? style.statuses[answer.reason] : 200;
  if (style.loginPage !== undefined && isWithoutAccess(answer)) {
    return { status, contentType: html, body: style.ahead + style.loginPage };
  }
  if (style.bare && (answer.kind === 'id' || answer.kind === 'ok')) {
    return { status, contentType: plainText, body: style.ahead + (answer.kind === 'id' ? answer.id : 'OK') };
  }
  const [root, tree] = style.bare ? bareTree(answer) : (['Response', wrappedTree(answer)] as const);
  const body = format === 'json' ? renderJson(tree) : renderXml(root, tree);
  return { status, contentType: contentTypes[format], body: style.ahead + body };
}

function isWithoutAccess(answer: Answer): boolean {
  return answer.kind === 'error' && (answer.reason === 'no-key' || answer.reason === 'no-access');
}

function wrappedTree(answer: Answer): Fields {
  switch (answer.kind) {
    case 'rows':
      return succeeded(['Rows', answer.rows]);
    case 'reports':
      return succeeded(['Reports', answer.reports]);
    case 'groups':
      return succeeded(['Groups', answer.groups]);
    case 'id':
      return succeeded(['ID', answer.id]);
    case 'ok':
      return succeeded();
    case 'error':
      return {
        entries: [
          ['Status', 'Error'],
          ['Message', answer.message],
        ],
      };
  }
}

function succeeded(...entries: readonly (readonly [string, Tree])[]): Fields {
  return { entries: [['Status', 'OK'], ...entries] };
}

/** The document element and its content without the wrapper that says `Status`. */
function bareTree(answer: Answer): readonly [root: string, tree: Tree] {
  switch (answer.kind) {
    case 'rows':
      return ['Rows', answer.rows];
    case 'reports':
      return ['Reports', answer.reports];
    case 'groups':
      return ['Groups', answer.groups];
    default:
      return ['Response', wrappedTree(answer)];
  }
}
