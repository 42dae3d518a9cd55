import fs from 'node:fs'
import { isNeverAllowed, parseRange } from '../../base/address.ts'
import { integer, list, oneOf } from './readers.ts'

/** Each an address or a network; `rule` throws on one that may not stand there. */
const ranges = (rule: (text: string) => void) => (text: string) =>
  list(text).map((one) => {
    const range = parseRange(one)
    rule(one.split('/', 1)[0] ?? '')
    return range
  })
const readable = (text: string) => {
  if (text === '') return null
  try {
    return fs.readFileSync(text, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

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
    summary: 'Time for the whole of one attempt, from the DNS question to the end of the answer.',
    default: '10',
    read: integer(1, 300),
  },
  WEBHOOK_RETRY_SCHEDULE_SECONDS: {
    summary:
      'Pauses after the first, second … failed attempt, comma-separated. Further ones are 2, 5 and from then on 10 hours.',
    default: '60,300,1800',
    read: (text: string) => list(text).map(integer(1, 604_800)),
  },
  WEBHOOK_AUTO_DISABLE_HOURS: {
    summary: 'An endpoint that fails for so long, with at least 10 deliveries given up, is disabled. 0: never.',
    default: '120',
    read: integer(0, 8760),
  },
  WEBHOOK_RETENTION_DAYS: {
    summary: 'How long deliveries that are over are kept, with their attempts.',
    default: '30',
    read: integer(1, 3650),
  },
  WEBHOOK_CONCURRENCY: {
    summary: 'Deliveries that one process has in flight at a time.',
    default: '128',
    read: integer(1, 10_000),
  },
  WEBHOOK_HTTPS_ONLY: {
    summary: 'Whether URLs of receivers must be https.',
    default: 'false',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  WEBHOOK_ALLOWED_CIDRS: {
    summary:
      'Addresses and networks, comma-separated, that receivers may have beside public ones, like `10.20.0.0/16`. Link-local ones and those of clouds’ metadata services are refused whatever this says.',
    default: '',
    read: ranges((address) => {
      if (isNeverAllowed(address)) throw new Error(`has "${address}", which can never be allowed`)
    }),
  },
  WEBHOOK_DENIED_CIDRS: {
    summary: 'Addresses and networks that receivers may not have though they are public, like your own NAT64 prefix.',
    default: '',
    read: ranges(() => undefined),
  },
  WEBHOOK_CA_FILE: {
    summary: 'PEM file with certificate authorities that receivers may have theirs from, beside the public ones.',
    default: '',
    read: readable,
  },
  WEBHOOK_PROXY_URL: {
    summary:
      'Proxy (`http://…` or `https://…`, credentials may stand in it) that every delivery is tunnelled through. It then decides which names may be reached.',
    default: '',
    read: (text: string) => {
      const url = URL.canParse(text) ? new URL(text) : null
      if (text !== '' && !/^https?:$/.test(url?.protocol ?? '')) throw new Error('must be an http(s) URL')
      return url
    },
  },
  WEBHOOK_DNS_SERVERS: {
    summary: 'DNS servers to ask for the names of receivers, `address[:port]`. Default: those of the machine.',
    default: '',
    read: (text: string) => {
      const servers = list(text)
      for (const one of servers)
        if (!/^(\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?)$/.test(one))
          throw new Error(`has "${one}", which is no address with or without a port`)
      return servers
    },
  },
  WEBHOOK_SYSTEM_NAMES: {
    summary:
      'Names of receivers, comma-separated, to look up as the machine does: in its hosts file and search domains. Their addresses are judged like any.',
    default: '',
    read: list,
  },
}
