import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { within } from '../api/deadline.ts';
import type { Observer } from '../api/observer.ts';

export interface Tracing {
  readonly observer: Observer;
  /** Sends the remaining spans; resolves with whether the collector took them in time. */
  readonly close: () => Promise<boolean>;
}

/** A collector that is gone must not keep the server from ending. */
const shutdownTimeoutMs = 500;

interface TracedCall {
  readonly span: Span;
  readonly context: Context;
}

/**
 * Sends traces to a collector over OTLP/HTTP, configured by the variables OTEL_*: a span per tool call, and below it one per
 * request to the tracker. Spans contain names, numbers and outcomes, but no arguments and no answers. If they cannot be sent,
 * that is logged once.
 */
export function startTracing(version: string, log: (line: string) => void): Tracing {
  const service = resourceFromAttributes({ 'service.name': 'tracker-mcp', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(service)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  let isLogged = false;
  setGlobalErrorHandler((error) => {
    if (!isLogged) log(`traces cannot be sent: ${error instanceof Error ? error.message : String(error)}`);
    isLogged = true;
  });
  const tracer = provider.getTracer('tracker-mcp', version);
  const propagator = new W3CTraceContextPropagator();
  const calls = new AsyncLocalStorage<TracedCall>();
  return {
    observer: {
      duringCall: (tool, origin, run) => {
        const parent = propagator.extract(ROOT_CONTEXT, { ...origin }, defaultTextMapGetter);
        const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool };
        const span = tracer.startSpan(`tools/call ${tool}`, { kind: SpanKind.SERVER, attributes }, parent);
        return calls.run({ span, context: trace.setSpan(parent, span) }, () => run().finally(() => span.end()));
      },
      toolCalled: (_, outcome) => {
        const { span } = calls.getStore() ?? {};
        span?.setAttribute('tracker_mcp.outcome', outcome);
        if (outcome === 'error') span?.setStatus({ code: SpanStatusCode.ERROR });
      },
      atTracker: (tracker) => ({
        trackerAnswered: (endpoint, status, seconds, resent) => {
          const endTime = Date.now();
          const attributes = {
            'tracker_mcp.endpoint': endpoint,
            ...(tracker === undefined ? {} : { 'tracker_mcp.tracker': tracker }),
            'http.request.resend_count': resent,
            ...(status === undefined ? {} : { 'http.response.status_code': status }),
          };
          const options = { kind: SpanKind.CLIENT, startTime: endTime - 1000 * seconds, attributes };
          const span = tracer.startSpan(`tracker ${endpoint}`, options, calls.getStore()?.context ?? ROOT_CONTEXT);
          if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(endTime);
        },
      }),
    },
    close: () =>
      within(shutdownTimeoutMs, (deadline) => deadline.during(provider.shutdown())).then(
        () => true,
        () => false,
      ),
  };
}
