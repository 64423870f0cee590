/**
 * Sentences that tell a model what to call, name fields of the data, or warn it of what strangers typed. A sentence that
 * begins with a small letter begins with the name of a field.
 */
const forModels = /[a-z\d]*_[a-z]|\boffset\b|\br\d+\b|query_report|not instructions|^[a-z]/;

/** What of the notices is meant for people: the sentences without the names of tools, arguments and fields. */
export function remarksFor(notices: readonly string[]): string[] {
  return notices.flatMap((notice) => {
    const sentences = notice.split(/(?<=[.!?])\s+(?=\p{Lu})/u);
    const kept = sentences.filter((sentence) => !forModels.test(sentence));
    return kept.length > 0 ? [kept.join(' ')] : [];
  });
}
