import { parseJson } from '../../api/text/json.ts';

/** The bodies that chat programs take. */

interface WebhookFormat {
  /** In characters; the program refuses longer texts, or cuts them. */
  readonly maxLength: number;
  readonly bodyOf: (text: string, url: URL) => unknown;
}

const formats = {
  slack: { maxLength: 4000, bodyOf: (text) => ({ text, unfurl_links: false, unfurl_media: false }) },
  discord: {
    maxLength: 2000,
    // 4 shows no previews of links.
    bodyOf: (content) => ({ content, allowed_mentions: { parse: [] }, flags: 4 }),
  },
  telegram: {
    maxLength: 4096,
    // The chat is named in the URL.
    bodyOf: (text, { searchParams }) => ({
      ...Object.fromEntries(searchParams),
      text,
      link_preview_options: { is_disabled: true },
    }),
  },
  teams: {
    // A card may have 28 KB.
    maxLength: 6000,
    bodyOf: (text) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            // A line break in a text block is a space.
            body: text
              .split('\n')
              .filter((line) => line !== '')
              .map((line) => ({ type: 'TextBlock', text: line, wrap: true })),
          },
        },
      ],
    }),
  },
} as const satisfies Record<string, WebhookFormat>;

export const webhookFormats = ['json', ...(Object.keys(formats) as (keyof typeof formats)[])] as const;
export type WebhookFormatName = (typeof webhookFormats)[number];

/**
 * What is posted of a message.
 *
 * @param body the report, as JSON
 */
export function bodyFor(name: WebhookFormatName, body: string, url: URL): string {
  if (name === 'json') return body;
  const { maxLength, bodyOf }: WebhookFormat = formats[name];
  const report = parseJson(body) as { readonly text?: unknown } | undefined;
  return JSON.stringify(bodyOf(firstLines(String(report?.text ?? body), maxLength), url));
}

/** Room for the line that says how many lines are left out. */
const roomForRest = 60;

/** The text, or as many whole lines from its start as fit. */
function firstLines(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const lines = text.split('\n');
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > maxLength - roomForRest) break;
    kept.push(line);
  }
  const rest = lines.slice(kept.length).filter((line) => line !== '').length;
  return [...kept, `… ${rest} more, shown by tracker-mcp review`].join('\n');
}
