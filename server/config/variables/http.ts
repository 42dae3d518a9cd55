import { integer, list } from './readers.ts'

/** Variables of the HTTP server: who may call it, from where, how often and how slowly. */
export const httpVariables = {
  CORS_ORIGINS: {
    summary:
      'Comma-separated origins (`https://app.example.com`) whose pages may call the API from a browser, with a token, never with cookies; `*` for any. Default: only our own.',
    default: '',
    read: (text: string) => {
      const origins = list(text)
      for (const one of origins)
        if (one !== '*' && !(/^https?:/.test(one) && URL.canParse(one) && new URL(one).origin === one))
          throw new Error(`has "${one}", which is not an origin like https://app.example.com`)
      return origins
    },
  },
  RATE_LIMIT_PUBLIC: {
    summary:
      'Maximum requests per minute from one address (IPv6: one /64) to routes that need no credential, per process; 0: no limit. Signed URLs and health checks do not count.',
    default: '1200',
    read: integer(0, 10_000_000),
  },
  RATE_LIMIT_COSTLY: {
    summary:
      'Maximum requests per minute from one user for expensive operations (archives, exports, previews, jobs, bulk operations, new links, endpoint tests), per process; 0: no limit.',
    default: '300',
    read: integer(0, 10_000_000),
  },
  REQUEST_TIMEOUT_SECONDS: {
    summary:
      'Time limit for receiving the headers and a small body. Uploads may take hours as long as at least a kilobyte arrives in each such period, and more as they grow (4 KiB/s is always enough).',
    default: '30',
    read: integer(1, 3600),
  },
  MAX_CONNECTIONS: {
    summary:
      'Maximum concurrent connections per process; further ones are closed. Without TRUSTED_PROXIES, one address may use a quarter of them. 0: no limit.',
    default: '10000',
    read: integer(0, 1_000_000),
  },
  UPLOADS_PER_SENDER: {
    summary:
      'Maximum concurrent uploads per user, or per address (IPv6: one /64) through share links, in each process; 0: no limit.',
    default: '1000',
    read: integer(0, 1_000_000),
  },
  UPLOADS_PER_LINK: {
    summary: 'Maximum concurrent uploads through one share link, across all processes; 0: no limit.',
    default: '8',
    read: integer(0, 1_000_000),
  },
  OPEN_UPLOADS_PER_PERSON: {
    summary: 'Maximum unfinished multipart uploads per user; 0: no limit.',
    default: '1000',
    read: integer(0, 1_000_000),
  },
} as const

/** What a URL on this machine names a service that listens on `host`; no client can connect to "every interface". */
export function nameOfHost(host: string): string {
  if (/^(0\.0\.0\.0|::)$/.test(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
