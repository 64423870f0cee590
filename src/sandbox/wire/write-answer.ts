import type { WireStyle } from './quirks.ts';
import { type Answer, renderJson, renderXml, type Tree } from './render.ts';

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
  const write = (contentType: string, body: string): Written => ({ status, contentType, body: style.ahead + body });
  const writeTree = (root: string, tree: Tree) =>
    write(contentTypes[format], format === 'json' ? renderJson(tree) : renderXml(root, tree));
  if (answer.kind === 'error') {
    const { reason, message } = answer;
    if (style.loginPage !== undefined && (reason === 'no-key' || reason === 'no-access')) {
      return write(html, style.loginPage);
    }
    return writeTree('Response', { entries: Object.entries({ Status: 'Error', Message: message }) });
  }
  const { content } = answer;
  if (!style.bare) return writeTree('Response', { entries: [['Status', 'OK'], ...(content ? [content] : [])] });
  const [root, tree] = content ?? ['ID', 'OK'];
  return typeof tree === 'string' ? write(plainText, tree) : writeTree(root, tree);
}
