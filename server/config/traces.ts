/** Where traces are sent, and which. */
export interface TracesConfig {
  url: string
  headers: Record<string, string>
  serviceName: string
  /** The share of requests that is traced, 0 to 1. */
  ratio: number
}

interface Values {
  OTEL_EXPORTER_OTLP_ENDPOINT: string
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>
  OTEL_SERVICE_NAME: string
  OTEL_TRACES_SAMPLER_ARG: number
}

/** The same as the variables of OpenTelemetry say it; null without an endpoint. */
export const tracesOf = (v: Values): TracesConfig | null =>
  v.OTEL_EXPORTER_OTLP_ENDPOINT
    ? {
        url: `${v.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
        headers: v.OTEL_EXPORTER_OTLP_HEADERS,
        serviceName: v.OTEL_SERVICE_NAME,
        ratio: v.OTEL_TRACES_SAMPLER_ARG,
      }
    : null
