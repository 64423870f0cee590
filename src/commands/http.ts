import type { Command } from 'commander';
import { bothObservers } from '../api/observer.ts';
import { type Config, ConfigurationFailure, isThisMachine } from '../config.ts';
import { OAuthVerifier } from '../mcp/http/access/oauth.ts';
import { RateLimit } from '../mcp/http/access/rate-limit.ts';
import { TokenFile } from '../mcp/http/access/token-file.ts';
import { createMetrics } from '../mcp/http/metrics.ts';
import { serveHttp } from '../mcp/http/serve-http.ts';
import { OpenQuestions } from '../mcp/open-questions.ts';
import { openTracing } from '../mcp/tracing/open-tracing.ts';
import { allTools } from '../tools/catalogue.ts';
import { version } from '../version.ts';
import { addSettings, addSettingsOf, configure, guarded, newCommand, settingsOf } from './command-line.ts';
import { onEndSignal } from './end-signals.ts';
import { openTracker } from './open-tracker.ts';

/** `tracker-mcp http`: one server for a team, over Streamable HTTP. */
export function httpCommand(): Command {
  const command = newCommand('tracker-mcp http')
    .description('Serves over Streamable HTTP at /mcp, with /healthz, /readyz and /metrics beside it.')
    .addHelpText(
      'after',
      '\nExample:\n  tracker-mcp http --tokens tokens.json --host 0.0.0.0 --allow-hosts mcp.example.com',
    )
    .action(() => guarded(() => serve(configure(settingsOf(command)))));
  command.optionsGroup('Serving:');
  return addSettings(addSettingsOf(command, 'http'));
}

async function serve(config: Config): Promise<void> {
  const { host, port, allowHosts = [], allowOrigins = [], sessions, rateLimit: maxPerMinute } = config;
  const verifier = await verifierOf(config);
  if (!verifier && !isThisMachine(host)) {
    throw new ConfigurationFailure(
      `Without tokens only this machine is served, and --host ${host} is reached by others.`,
      'Set --tokens (TRACKER_MCP_TOKENS), or --oauth-issuer and --oauth-audience.',
    );
  }
  const onDefect = (error: unknown) => console.error('tracker-mcp: defect:', error);
  const log = (line: string) => console.error(`tracker-mcp: ${line}`);
  const tracing = await openTracing(process.env, version, log);
  const counted = createMetrics();
  const observer = tracing ? bothObservers(counted.observer, tracing.observer) : counted.observer;
  const metrics = { ...counted, observer };
  const shared = await openShared(config, log);
  if (shared) metrics.watchRedis(() => shared.away() === undefined);
  const tracker = await openTracker(config, undefined, observer, shared);
  const { context, approving } = tracker;
  const questions = new OpenQuestions(shared?.questions);
  const lacking = () => shared?.away();
  const rateLimit = maxPerMinute === undefined ? undefined : new RateLimit(maxPerMinute, shared?.counts);
  const server = await serveHttp(
    { version, tools: allTools, context, onDefect, questions },
    {
      ...{ host, port, allowHosts, allowOrigins, isLocal: isThisMachine(host), sessions },
      ...{ verifier, approving, rateLimit, metrics, log, lacking },
    },
  );
  tracker.start((error) => log(error.message));
  log(`serving MCP at ${server.url}${verifier ? '' : ', for whoever is on this machine: there are no tokens'}.`);
  onEndSignal(async () => {
    await server.close();
    await tracing?.close();
    await approving?.writes.stop();
    await shared?.close();
    // The embedded tracker may still load its sample data, for which nobody is left to ask.
    process.exit(0);
  });
}

/** What replicas share; undefined where this server is the only one, which then loads nothing for it. */
async function openShared({ redis, tracker, timeout, sessions }: Config, log: (line: string) => void) {
  if (redis === undefined) return undefined;
  if (tracker === 'sandbox') {
    throw new ConfigurationFailure(
      '--redis is for several servers of one tracker, and each would have an embedded tracker of its own.',
      'Start one with tracker-mcp sandbox, and give its address with --url.',
    );
  }
  if (sessions) {
    log('a session stays with the server it began at: a load balancer has to send its requests there (--sessions).');
  }
  const { openSharedState } = await import('../redis/shared-state.ts');
  return openSharedState(redis, tracker, timeout, log);
}

/** Who tells whose a token is; undefined where there are no tokens. */
async function verifierOf({ tokens, oauthIssuer, oauthAudience }: Config) {
  if (oauthIssuer !== undefined && oauthAudience !== undefined) return new OAuthVerifier(oauthIssuer, oauthAudience);
  if (tokens === undefined) return undefined;
  const file = new TokenFile(tokens);
  // What is wrong with the file is said at the start, not to the first who calls.
  await file.refresh();
  return file;
}
