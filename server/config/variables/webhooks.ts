import { allowedRanges, integer, list, oneOf, ranges, readable } from './readers.ts'

/** The variables of webhooks. */
export const webhookVariables = {
  WEBHOOKS_ENABLED: {
    summary: 'Whether events are queued for webhook endpoints and sent.',
    default: 'true',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  WEBHOOK_MAX_ATTEMPTS: {
    summary: 'Delivery attempts before a delivery is marked failed.',
    default: '4',
    read: integer(1, 100),
  },
  WEBHOOK_TIMEOUT_SECONDS: {
    summary: 'Time limit for one attempt, from the DNS lookup to the end of the response.',
    default: '10',
    read: integer(1, 300),
  },
  WEBHOOK_RETRY_SCHEDULE_SECONDS: {
    summary:
      'Delays after the first, second … failed attempt, comma-separated. Further ones are 2, 5 and then 10 hours.',
    default: '60,300,1800',
    read: (text: string) => list(text).map(integer(1, 604_800)),
  },
  WEBHOOK_AUTO_DISABLE_HOURS: {
    summary: 'An endpoint that has failed for this long, with at least 10 failed deliveries, is disabled. 0: never.',
    default: '120',
    read: integer(0, 8760),
  },
  WEBHOOK_RETENTION_DAYS: {
    summary: 'How long finished deliveries are kept, with their attempts.',
    default: '30',
    read: integer(1, 3650),
  },
  WEBHOOK_CONCURRENCY: {
    summary: 'Maximum deliveries in flight per process.',
    default: '128',
    read: integer(1, 10_000),
  },
  WEBHOOK_HTTPS_ONLY: {
    summary: 'Whether receiver URLs must use https.',
    default: 'false',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  WEBHOOK_ALLOWED_CIDRS: {
    summary:
      'Comma-separated addresses and networks that receivers may use besides public ones, such as `10.20.0.0/16`. Link-local addresses and cloud metadata services are always refused.',
    default: '',
    read: allowedRanges,
  },
  WEBHOOK_DENIED_CIDRS: {
    summary: 'Public addresses and networks that receivers must not use, such as your own NAT64 prefix.',
    default: '',
    read: ranges,
  },
  WEBHOOK_CA_FILE: {
    summary: 'PEM file of certificate authorities to trust for receivers, besides the public ones.',
    default: '',
    read: readable,
  },
  WEBHOOK_PROXY_URL: {
    secret: true,
    summary:
      'Proxy (`http://…` or `https://…`, may include credentials) that every delivery is tunnelled through. It then decides which names may be reached.',
    default: '',
    read: (text: string) => {
      const url = URL.canParse(text) ? new URL(text) : null
      if (text !== '' && !/^https?:$/.test(url?.protocol ?? '')) throw new Error('must be an http(s) URL')
      return url
    },
  },
  WEBHOOK_DNS_SERVERS: {
    summary: 'DNS servers for resolving receivers, `address[:port]`. Default: the machine’s.',
    default: '',
    read: (text: string) => {
      const servers = list(text)
      for (const one of servers)
        if (!/^(\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?)$/.test(one))
          throw new Error(`has "${one}", which is not an address, with or without a port`)
      return servers
    },
  },
  WEBHOOK_SYSTEM_NAMES: {
    summary:
      'Comma-separated receiver names to resolve as the machine does, with its hosts file and search domains. Their addresses are checked like any other.',
    default: '',
    read: list,
  },
}
