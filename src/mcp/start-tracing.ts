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
  /** Sends what is not sent yet; resolves with whether the collector took it in time. */
  readonly close: () => Promise<boolean>;
}

/** The end of a server does not wait longer for a collector that is gone. */
const shutdownTimeoutMs = 500;

interface TracedCall {
  readonly span: Span;
  readonly context: Context;
}

/**
 * Traces to a collector that takes OTLP over HTTP, as the variables OTEL_* say: a span for each call of a tool, and below it
 * one for each request to the tracker. They hold names, numbers and outcomes, and nothing of what was asked or answered. That
 * spans cannot be sent is logged once.
 */
export function startTracing(version: string, log: (line: string) => void): Tracing {
  const named = resourceFromAttributes({ 'service.name': 'tracker-mcp', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
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
          const about = { kind: SpanKind.CLIENT, startTime: endTime - 1000 * seconds, attributes };
          const span = tracer.startSpan(`tracker ${endpoint}`, about, calls.getStore()?.context ?? ROOT_CONTEXT);
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
