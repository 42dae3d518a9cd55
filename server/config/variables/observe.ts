import { integer, oneOf } from './readers.ts'

const ratio = (text: string) => {
  const value = Number(text)
  if (!/^(0|1)?(\.\d+)?$/.test(text) || text === '' || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}

/** The variables of metrics, logs and traces. */
export const observeVariables = {
  METRICS: {
    summary:
      '`on`: `/metrics` answers METRICS_TOKEN, administrators and, while METRICS_TOKEN, TRUSTED_PROXIES and a public PUBLIC_BASE_URL are not set, this machine itself. `open`: anyone who reaches it. `off`: nobody.',
    default: 'on',
    read: oneOf('on', 'open', 'off'),
  },
  METRICS_TOKEN: {
    summary: 'Bearer token that reads `/metrics` and nothing else; at least 16 characters.',
    default: '',
    read: (text: string) => {
      if (text !== '' && !/^[A-Za-z0-9._~+/=-]{16,}$/.test(text))
        throw new Error('must have at least 16 characters, of those that a Bearer token may have')
      return text
    },
  },
  SLOW_REQUEST_MS: {
    summary:
      'Requests whose answer takes so long to begin are logged as warnings. The time a client takes to send its bytes does not count. 0: none.',
    default: '1000',
    read: integer(0, 3_600_000),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    summary: 'Where traces go, by OTLP over HTTP; `/v1/traces` is added. Without it there are none.',
    default: '',
    read: (text: string) => {
      const url = URL.canParse(text) ? new URL(text) : null
      if (text !== '' && (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash))
        throw new Error('must be an http(s) URL without query and fragment')
      return text.replace(/\/+$/, '')
    },
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    summary: 'Headers to send with them, `name=value,name=value`, values percent-encoded.',
    default: '',
    read: (text: string) => {
      const pairs = text.split(',').filter((one) => one.trim() !== '')
      return Object.fromEntries(
        pairs.map((pair) => {
          const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
          if (name === undefined) throw new Error('must be name=value pairs, comma-separated')
          try {
            return [name, decodeURIComponent(value)]
          } catch {
            throw new Error('has a faulty percent-encoding')
          }
        }),
      )
    },
  },
  OTEL_SERVICE_NAME: { summary: 'What this service is called in them.', default: 'strongroom', read: String },
  OTEL_TRACES_SAMPLER_ARG: {
    summary: 'Share of traces to keep, 0 to 1. A caller’s `traceparent` can decide against a trace, not for one.',
    default: '1',
    read: ratio,
  },
}
