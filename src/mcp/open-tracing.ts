import type { Tracing } from './start-tracing.ts';

/** OpenTelemetry's variables for the address of a collector, for everything and for traces alone. */
const endpointVariables = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Starts tracing if the environment names a collector; OpenTelemetry is loaded only then. */
export async function openTracing(
  environment: NodeJS.ProcessEnv,
  version: string,
  log: (line: string) => void,
): Promise<Tracing | undefined> {
  const isDisabled = environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
  if (isDisabled || !endpointVariables.some((name) => environment[name]?.trim())) return undefined;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(version, log);
}
