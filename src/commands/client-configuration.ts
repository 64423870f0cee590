/**
 * The lines that clients such as Claude Desktop, Claude Code and Cursor read, as JSON.
 *
 * @param path the command line, dist/cli.js
 * @param servers the environment of each server, by the server's name
 * @param command what runs it; programs on a desktop may not find `node` by its name
 */
export function clientConfiguration(
  path: string,
  servers: Readonly<Record<string, Readonly<Record<string, string>>>>,
  command = 'node',
): string {
  const entries = Object.entries(servers).map(([name, env]) => [name, { command, args: [path], env }]);
  const json = JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2);
  // One argument or variable stands on one line.
  return json.replace(/([[{])\n\s+("[^\n]*")\n\s+[\]}]/g, (_, open, item) =>
    open === '[' ? `[${item}]` : `{ ${item} }`,
  );
}
