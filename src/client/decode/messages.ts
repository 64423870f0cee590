/** What PHP, its extensions and plugins print around an answer, or between its values. */

const level = '(?:Deprecated|Notice|Warning|Strict Standards|(?:Recoverable |Catchable )?fatal error|Parse error)';

/** `<br /><b>Deprecated</b>: trim(): ... on line <b>12</b><br />`, and the same without HTML. */
const htmlMessage = `(?:<br\\s*/?>\\s*){0,20}<b>${level}</b>:[\\s\\S]{0,8000}?on line <b>\\d+</b>(?:\\s*<br\\s*/?>){0,20}`;
const textMessage = `(?:PHP )?${level}: [^\\n]{0,8000}? on line \\d+(?=\\s|$)`;

export const leadingMessage = new RegExp(`^\\s*(?:${htmlMessage}|${textMessage})`, 'i');

/** Messages after the answer run to the end of the body. */
const trailingMessages = new RegExp(`${htmlMessage}|\\n${textMessage}`, 'i');

/** The part of a long answer that is searched for trailing messages. */
const maxTrailingLength = 20_000;

/** The text before the messages that PHP prints after an answer. */
export function withoutTrailingMessages(text: string): string {
  const end = Math.max(0, text.length - maxTrailingLength);
  const messages = trailingMessages.exec(text.slice(end));
  return messages ? text.slice(0, end + messages.index).trimEnd() : text;
}

/** A message between values. None can run on over the values up to the next message: its text has no tag of another one. */
const messageInside = [
  `(?:<br\\s*/?>\\s*){0,20}<b>${level}</b>:(?:[^<]|<(?!br\\b|b>)){0,8000}(?:<b>[^<]{0,1000}</b>)? on line <b>\\d+</b>`,
  `\\n(?:PHP )?${level}: (?:(?!${level}: )[^\\n]){0,8000} on line \\d+(?=\\s*?(?:\\n|$))`,
];

/** Whether a message between values says that the script ended there, so that values are missing. */
export function endsTheScript(message: string): boolean {
  return (
    /^[^:]{0,500}(?:fatal|parse) error(?:<\/b>)?:/i.test(message) ||
    /^<table[\s\S]{0,2000}(?:fatal|parse) error:/i.test(message)
  );
}

/** The same somewhere in an answer. */
export const endedScript = /(?:fatal|parse) error(?:<\/b>)?:/i;

/** Other HTML without a value in it. */
const markupInside = [
  `<table class=["']xdebug-error["'](?:[^<]|<(?!/?table\\b)){0,20000}</table>`,
  '<!--(?:[^<>{}[\\]"]){0,1000}-->',
  '<script(?:\\s[^<>]{0,2000})?>(?:[^<]|<(?!/?script)){0,20000}</script>',
  '</?(?:a|b|br|center|div|em|font|h[1-6]|hr|i|p|pre|span|strong)(?:[\\s/][^<>{}[\\]]{0,500})?>',
];

/** The source of a pattern for what may be between the values of an answer and is no part of it. */
export const noiseInJson = [...messageInside, ...markupInside].join('|');

/** In XML, markup is the answer itself. */
export const noiseInXml = messageInside.map((pattern) => `${pattern}(?:\\s*<br\\s*/?>){0,20}`).join('|');
