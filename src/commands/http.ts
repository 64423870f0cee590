import type { Command } from 'commander';
import { ConfigurationFailure, isThisMachine, type SharedSettings } from '../config.ts';
import { OAuthVerifier } from '../mcp/http/access/oauth.ts';
import { TokenFile } from '../mcp/http/access/token-file.ts';
import { createMetrics } from '../mcp/http/metrics.ts';
import { serveHttp } from '../mcp/http/serve-http.ts';
import { catalogue } from '../tools/catalogue.ts';
import { version } from '../version.ts';
import { addSettings, addSettingsOf, configure, guarded, newCommand, settingsOf } from './command-line.ts';
import { openTrackers } from './configuration/open-trackers.ts';
import type { Configuration } from './configuration/read-configuration.ts';
import { onEndSignal } from './end-signals.ts';

/** `tracker-mcp http`: one server for a team, over Streamable HTTP. */
export function httpCommand(): Command {
  const command = newCommand('tracker-mcp http')
    .description('Serves over Streamable HTTP at /mcp, with /healthz, /readyz and /metrics beside it.')
    .addHelpText(
      'after',
      '\nExample:\n  tracker-mcp http --tokens tokens.json --host 0.0.0.0 --allow-hosts mcp.example.com',
    )
    .action(() => guarded(async () => serve(await configure(settingsOf(command)))));
  command.optionsGroup('Serving:');
  return addSettings(addSettingsOf(command, 'http'));
}

async function serve(configuration: Configuration): Promise<void> {
  const { host, port, allowHosts = [], allowOrigins = [], sessions } = configuration.server;
  const verifier = await verifierOf(configuration.server);
  if (!verifier && !isThisMachine(host)) {
    throw new ConfigurationFailure(
      `Without tokens only this machine is served, and --host ${host} is reached by others.`,
      'Set --tokens (TRACKER_MCP_TOKENS), or --oauth-issuer and --oauth-audience.',
    );
  }
  const metrics = createMetrics();
  const { trackers, start } = await openTrackers(configuration, { observer: metrics.observer });
  const onDefect = (error: unknown) => console.error('tracker-mcp: defect:', error);
  const log = (line: string) => console.error(`tracker-mcp: ${line}`);
  const server = await serveHttp(
    { version, tools: catalogue, trackers, onDefect },
    { host, port, allowHosts, allowOrigins, isLocal: isThisMachine(host), sessions, verifier, metrics, log },
  );
  start((error) => log(error.message));
  log(`serving MCP at ${server.url}${verifier ? '' : ', for whoever is on this machine: there are no tokens'}.`);
  onEndSignal(async () => {
    await server.close();
    // The embedded tracker may still load its sample data, for which nobody is left to ask.
    process.exit(0);
  });
}

/** Who tells whose a token is; undefined where there are no tokens. */
async function verifierOf({ tokens, oauthIssuer, oauthAudience }: SharedSettings) {
  if (oauthIssuer !== undefined && oauthAudience !== undefined) return new OAuthVerifier(oauthIssuer, oauthAudience);
  if (tokens === undefined) return undefined;
  const file = new TokenFile(tokens);
  // What is wrong with the file is said at the start, not to the first who calls.
  await file.refresh();
  return file;
}
