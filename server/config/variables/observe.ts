import { trimEndOf } from '../../base/trim-end.ts'
import { integer, oneOf } from './readers.ts'

const ratio = (text: string) => {
  const value = Number(text)
  if (!/^(0|1)?(\.\d+)?$/.test(text) || text === '' || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}

/** The variables of metrics, logs and traces. */
export const observeVariables = {
  ANNOUNCE: {
    summary:
      'How a start prints its addresses and the first administrator or setup link on standard output: `text`, or `json`, in lines like those of the log, for what collects logs. The image sets it to `json`.',
    default: 'text',
    read: oneOf('text', 'json'),
  },
  METRICS: {
    summary:
      '`on`: `/metrics` is available with METRICS_TOKEN, to administrators and, while METRICS_TOKEN, TRUSTED_PROXIES and a public PUBLIC_BASE_URL are not set, from this machine. `open`: to anyone. `off`: to nobody.',
    default: 'on',
    read: oneOf('on', 'open', 'off'),
  },
  METRICS_TOKEN: {
    secret: true,
    summary: 'Bearer token that gives access to `/metrics` only; at least 16 characters.',
    default: '',
    read: (text: string) => {
      if (text !== '' && !/^[A-Za-z0-9._~+/=-]{16,}$/.test(text))
        throw new Error('must be a valid Bearer token of at least 16 characters')
      return text
    },
  },
  SLOW_REQUEST_MS: {
    summary:
      'Requests whose response takes longer than this to start are logged as warnings. Time spent waiting for the client’s bytes does not count. 0: off.',
    default: '1000',
    read: integer(0, 3_600_000),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    summary: 'Where to send traces, by OTLP over HTTP; `/v1/traces` is appended. Without it, tracing is off.',
    default: '',
    read: (text: string) => {
      const url = URL.canParse(text) ? new URL(text) : null
      if (text !== '' && (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash))
        throw new Error('must be an http(s) URL without query and fragment')
      return trimEndOf(text, '/')
    },
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    secret: true,
    summary: 'Headers to send with traces, `name=value,name=value`, values percent-encoded.',
    default: '',
    read: (text: string) => {
      const pairs = text.split(',').filter((one) => one.trim() !== '')
      return Object.fromEntries(
        pairs.map((pair) => {
          const at = pair.indexOf('=')
          const [name, value] = [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()]
          if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new Error('must be name=value pairs, comma-separated')
          try {
            return [name, decodeURIComponent(value)]
          } catch {
            throw new Error('has an invalid percent-encoding')
          }
        }),
      )
    },
  },
  OTEL_SERVICE_NAME: { summary: 'Service name in traces.', default: 'strongroom', read: String },
  OTEL_TRACES_SAMPLER_ARG: {
    summary: 'Share of traces to keep, 0 to 1. A caller’s `traceparent` can opt out of a trace, not into one.',
    default: '1',
    read: ratio,
  },
}
