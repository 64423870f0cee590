import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { bothObservers } from '../api/observer.ts';
import { type Configuration, ConfigurationFailure, isLoopbackHost, type SharedSettings } from '../config.ts';
import { RateLimit, type TokenVerifier } from '../mcp/http/gate.ts';
import { createLog, createMetrics, logSent } from '../mcp/http/monitoring.ts';
import { OAuthVerifier } from '../mcp/http/oauth.ts';
import { TokenFile } from '../mcp/http/token-file.ts';
import { OpenQuestions } from '../mcp/open-questions.ts';
import { openTracing } from '../mcp/open-tracing.ts';
import { allTools } from '../tools/catalogue.ts';
import { identity, version } from '../version.ts';
import {
  addSettings,
  addSettingsOf,
  asUsageError,
  configure,
  givenSetting,
  newCommand,
  reportFailures,
  settingsOf,
} from './command-line.ts';
import { openTrackers } from './open-trackers.ts';
import { onEndSignal, writeMessagesAs } from './process.ts';

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp http')
    .description('Serves over Streamable HTTP at /mcp, with /healthz, /readyz and /metrics.')
    .addHelpText('after', '\nExample:\n  tracker-mcp http --sandbox')
    .action(() => {
      // Set before the configuration is read, whose warnings are lines of the log, too.
      if (isJson()) logAllAsJson();
      return reportFailures(async () => serve(await configure(settingsOf(command))));
    });
  const isJson = () => givenSetting(command, 'logFormat') === 'json';
  const { writeErr } = command.configureOutput();
  command.configureOutput({ writeErr: (text) => (isJson() ? logMessage(text.trim()) : writeErr?.(text)) });
  command.optionsGroup('Serving:');
  return addSettings(addSettingsOf(command, 'http'));
}

const writeLine = (line: string): void => console.error(line);
const jsonLog = createLog('json', writeLine);
const logMessage = (message: string): void => jsonLog(message, { event: 'message' });

/** Has everything that goes to stderr written as JSON, what Node itself writes included. */
function logAllAsJson(): void {
  writeMessagesAs(logMessage);
  process.removeAllListeners('warning').on('warning', ({ message }) => logMessage(message));
  process.on('uncaughtException', (error) => {
    jsonLog(`defect: ${inspect(error)}`, { event: 'defect' });
    process.exit(1);
  });
}

async function serve(configuration: Configuration): Promise<void> {
  const { host, port, allowHosts = [], allowOrigins = [], sessions, rateLimit: maxPerMinute } = configuration.server;
  const { stopDelay, drain, metricsPort, views } = configuration.server;
  const log = createLog(configuration.server.logFormat, writeLine);
  const verifier = await createVerifier(configuration, log);
  if (!verifier && !isLoopbackHost(host)) {
    throw new ConfigurationFailure(
      `Without tokens only this machine is served, and others can reach --host ${host}.`,
      'Set --tokens (TRACKER_MCP_TOKENS), or --oauth-issuer and --oauth-audience.',
    );
  }
  const onDefect = (error: unknown) => log(`defect: ${inspect(error)}`, { event: 'defect' });
  const tracing = await openTracing(process.env, version, log);
  const counted = createMetrics();
  const observer = tracing ? bothObservers(counted.observer, tracing.observer) : counted.observer;
  const metrics = { ...counted, observer };
  const shared = await openShared(configuration, log);
  if (shared) metrics.watchRedis(() => shared.away() === undefined);
  const { trackers, approving, start, close } = await openTrackers(configuration, {
    observer,
    shared: shared?.states,
    holders: verifier,
    onSent: logSent(log),
  });
  const questions = new OpenQuestions(shared?.questions);
  const rateLimit = maxPerMinute === undefined ? undefined : new RateLimit(maxPerMinute, shared?.counts);
  // Loaded last, because it makes Node load its fetch, which fails under a small memory limit. The message about that comes first.
  const { serveHttp } = await import('../mcp/http/serve-http.ts');
  const server = await serveHttp(
    { identity, tools: allTools, trackers, hasViews: views === 'on', onDefect, questions },
    {
      host,
      port,
      allowHosts,
      allowOrigins,
      isLocal: isLoopbackHost(host),
      sessions,
      sharedSessions: shared?.sessions,
      verifier,
      approving,
      rateLimit,
      metrics,
      metricsPort,
      log,
      writeBlocker: () => shared?.away(),
      noticeMs: stopDelay * 1000,
      drainMs: drain * 1000,
    },
  );
  start();
  if (metricsPort !== undefined) log(`serving metrics at ${server.metricsUrl}.`);
  log(`serving MCP at ${server.url}${verifier ? '' : ', for everyone on this machine: there are no tokens'}.`, {
    event: 'start',
    url: server.url,
    version,
  });
  onEndSignal(async () => {
    log('stopping: no new connections.', { event: 'stop', routine: true });
    const writesEnded = Promise.race([approving?.writes.stop(), sleep(drain * 1000)]);
    await Promise.all([server.close(), writesEnded]);
    await Promise.all([close(), tracing?.close()]);
    await shared?.close();
    process.exit(0);
  });
}

/** The verifier of tokens; undefined if there are no tokens. Fails at the start if their file is wrong. */
async function createVerifier(
  { server: { tokens, oauthIssuer, oauthAudience }, trackers }: Configuration,
  log: (line: string) => void,
): Promise<TokenVerifier | undefined> {
  return asUsageError(async () => {
    if (oauthIssuer !== undefined && oauthAudience !== undefined) {
      const writes = trackers.some(({ config }) => canWrite(config));
      const oauth = new OAuthVerifier(oauthIssuer, oauthAudience, writes);
      const warning = await oauth.check();
      if (warning !== undefined) log(warning);
      return oauth;
    }
    if (tokens === undefined) return undefined;
    const file = new TokenFile(tokens, log);
    await file.check();
    return file;
  });
}

function canWrite({ readOnly, tools }: SharedSettings): boolean {
  return !readOnly && allTools.some(({ name, access }) => access !== 'read' && (tools?.includes(name) ?? true));
}

/**
 * Opens the state that replicas share for each tracker: its queue by URL, and its changes by URL and key. Counts of
 * requests, sessions and questions to callers belong to no tracker, so they use the state of the first one.
 *
 * @returns undefined, without loading any code, if there are no replicas
 * @throws ConfigurationFailure if a tracker cannot be shared
 */
async function openShared({ server: { redis }, trackers }: Configuration, log: (line: string) => void) {
  if (redis === undefined) return undefined;
  const located = trackers.map(({ name, config: { tracker } }) => {
    if (typeof tracker === 'object') return { name, tracker };
    throw new ConfigurationFailure(
      '--redis is for several servers of one tracker, and each would have an embedded tracker of its own.',
      'Start one with tracker-mcp sandbox, and give its address with --url.',
    );
  });
  const { openSharedState } = await import('../redis/shared-state.ts');
  const states = await Promise.all(
    located.map(({ name, tracker }) =>
      openSharedState(redis, tracker, name === undefined ? log : (line) => log(`${name}: ${line}`)),
    ),
  );
  return {
    states,
    questions: states[0]?.questions,
    counts: states[0]?.counts,
    sessions: states[0]?.sessions,
    away: () => states.map((state) => state.away()).find((reason) => reason !== undefined),
    close: () => Promise.all(states.map((state) => state.close())),
  };
}
