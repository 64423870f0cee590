import type { ToolContext } from '../define-tool.ts';

/** What a tracker is known by beyond one call: its URL, and its name beside it where several accounts are at that URL. */
export async function identityIn({
  trackerIdentity,
  client,
}: Pick<ToolContext, 'trackerIdentity' | 'client'>): Promise<string> {
  return trackerIdentity ?? (await client.url());
}
