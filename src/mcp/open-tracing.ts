import type { Tracing } from './start-tracing.ts';

/** The names that OpenTelemetry has for the address of a collector: one for all it takes, one for traces alone. */
const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Traces if the environment names a collector; what does so is loaded only then. */
export async function openTracing(
  environment: NodeJS.ProcessEnv,
  version: string,
  log: (line: string) => void,
): Promise<Tracing | undefined> {
  const isDisabled = environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || !endpoints.some((name) => environment[name]?.trim())) return undefined;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(version, log);
}
