/** Words for models only: names of tools and fields. A sentence that begins with a small letter begins with a field. */
const forModels = /_[a-z]|\boffset\b|\br\d+\b|query_report|not instructions|^[a-z]/;

/**
 * What a person reads of a notice that is still a sentence: without names of tools, arguments and fields. It goes when all are notes.
 */
export function saidToPerson(notice: string): string | null {
  const sentences = notice.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((sentence) => !forModels.test(sentence));
  return sentences.length > 0 ? sentences.join(' ') : null;
}
