/** Decodes all bytes. Some versions of Node read Windows-1252 in one piece as Latin-1: without €, dashes and curly quotation marks. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}
