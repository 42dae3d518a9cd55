import type { Logger } from 'pino'
import { version } from '../base/version.ts'
import type { Config } from '../config/config.ts'
import type { Attributes, Span } from './meter.ts'

/** How long shutdown waits for unsent spans. */
const FLUSH_MS = 3000
/** Shorter worker runs usually found nothing to do: there are many per second, and they are not traced. */
const SHORT_MS = 100
/** Maximum number of steps kept per span. */
const MOST_STEPS = 1000

export interface Tracing {
  /**
   * Starts a trace, or joins the one in the request's `traceparent`. Undefined if it was not sampled: callers can opt
   * out, for all others the ratio decides.
   */
  begin(name: string, kind: 'request' | 'delivery', headers?: Readonly<Record<string, unknown>>): Span | undefined
  /** Starts a trace that is kept only if the run fails or takes long. */
  beginRun(name: string): Span
  /** Sends the remaining spans. */
  stop(): Promise<void>
}

/**
 * Traces over OTLP/HTTP if OTEL_EXPORTER_OTLP_ENDPOINT is set. OpenTelemetry is not loaded otherwise, and its globals
 * are never used: a span's parent is the meter of the asynchronous context.
 */
export async function openTraces({ traces }: Config, log: Logger): Promise<Tracing | undefined> {
  if (traces === null) return undefined
  const otel = await import('./opentelemetry.ts')
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = otel
  const { RECORD_AND_SAMPLED, NOT_RECORD } = otel.SamplingDecision
  const warn = (...what: unknown[]) => log.warn({ detail: what.map(String).join(' ').slice(0, 1000) }, 'traces')
  const ignore = () => undefined
  otel.diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: otel.DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const provider = new otel.TracerProvider({
    resource: otel.resourceFromAttributes({ 'service.name': traces.serviceName, 'service.version': version }),
    sampler: new otel.ParentBasedSampler({
      root: new otel.TraceIdRatioBasedSampler(traces.ratio),
      // Traces cost resources and anyone can request one: the ratio applies here too, and not by an id the caller
      // chose.
      remoteParentSampled: {
        shouldSample: () => ({ decision: Math.random() < traces.ratio ? RECORD_AND_SAMPLED : NOT_RECORD }),
        toString: () => `Ratio{${traces.ratio}}`,
      },
    }),
    spanLimits: { attributeValueLengthLimit: 4096 },
    spanProcessors: [
      new otel.BatchSpanProcessor({
        exporter: new otel.OTLPTraceExporter({ url: traces.url, headers: traces.headers, timeoutMillis: 10_000 }),
      }),
    ],
  })
  const tracer = provider.getTracer('strongroom', version)
  const kinds = { request: SpanKind.SERVER, delivery: SpanKind.CLIENT }
  /** Converts to milliseconds since the epoch. */
  const at = (time: number) => performance.timeOrigin + time

  type OtelSpan = ReturnType<typeof tracer.startSpan>
  function fail(span: OtelSpan, error?: unknown): void {
    span.setStatus({ code: SpanStatusCode.ERROR })
    // The error message may quote user data.
    if (error instanceof Error) span.setAttribute('error.type', (error as NodeJS.ErrnoException).code ?? error.name)
  }
  function addStep(parent: OtelSpan, name: string, span: Step): void {
    const { began, ended, attributes, error } = span
    const context = trace.setSpan(ROOT_CONTEXT, parent)
    const step = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: at(began), attributes }, context)
    if (error !== undefined) fail(step, error)
    step.end(at(ended))
  }
  function close(span: OtelSpan, { name, attributes, failed }: Parameters<Span['end']>[0]): void {
    if (name !== undefined) span.updateName(name)
    if (attributes) span.setAttributes(attributes)
    if (failed) fail(span)
    span.end(at(performance.now()))
  }

  return {
    begin(name, kind, headers = {}) {
      const parent = parentOf(headers)
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kinds[kind], startTime: at(performance.now()) }, context)
      if (!span.isRecording()) return undefined
      return {
        traceId: span.spanContext().traceId,
        step: (step, began, attributes, error) =>
          addStep(span, step, { began, ended: performance.now(), attributes, error }),
        end: (outcome) => close(span, outcome),
      }
    },
    beginRun(name) {
      const began = performance.now()
      const steps: [string, Step][] = []
      const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: at(began) }, ROOT_CONTEXT)
      return {
        traceId: span.spanContext().traceId,
        step(step, stepBegan, attributes, error) {
          if (steps.length < MOST_STEPS)
            steps.push([step, { began: stepBegan, ended: performance.now(), attributes, error }])
        },
        end(outcome) {
          if (!outcome.failed && performance.now() - began < SHORT_MS) return
          for (const [step, times] of steps) addStep(span, step, times)
          close(span, outcome)
        },
      }
    },
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref())
      await Promise.race([provider.shutdown().catch((error: unknown) => warn(error)), late])
    },
  }
}

interface Step {
  began: number
  ended: number
  attributes: Attributes
  error?: unknown
}

/** The caller's span from W3C Trace Context; undefined if the header is missing or malformed. */
function parentOf(headers: Readonly<Record<string, unknown>>) {
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(
    String(headers.traceparent ?? ''),
  )
  const [, format = '', traceId = '', spanId = '', flags = '', rest] = match ?? []
  if (!match || format === 'ff' || (format === '00' && rest) || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
