import { integer, list } from './readers.ts'

/** Variables of the HTTP server: who may call it from where, how often and how slowly. */
export const httpVariables = {
  CORS_ORIGINS: {
    summary:
      'Comma-separated origins (`https://app.example.com`) whose pages may call the API from a browser, with a token and never with cookies; `*` for any. Default: only our own.',
    default: '',
    read: (text: string) => {
      const origins = list(text)
      for (const one of origins)
        if (one !== '*' && !(/^https?:/.test(one) && URL.canParse(one) && new URL(one).origin === one))
          throw new Error(`has "${one}", which is no origin like https://app.example.com`)
      return origins
    },
  },
  RATE_LIMIT_PUBLIC: {
    summary:
      'Most requests a minute from one address (of IPv6: one /64) to what needs no credential, in each process; 0: no limit. Signed URLs and health checks do not count.',
    default: '1200',
    read: integer(0, 10_000_000),
  },
  RATE_LIMIT_COSTLY: {
    summary:
      'Most requests a minute of one person for what keeps the service busy (archives, exports, previews, jobs, bulk operations, new links, tests of endpoints), in each process; 0: no limit.',
    default: '300',
    read: integer(0, 10_000_000),
  },
  REQUEST_TIMEOUT_SECONDS: {
    summary:
      'How long the head of a request, and a small body, may take to arrive. Uploads may take hours, as long as a kilobyte arrives within each such time, and more the more has arrived (4 KiB/s are always enough).',
    default: '30',
    read: integer(1, 3600),
  },
  MAX_CONNECTIONS: {
    summary:
      'Most connections of a process at once; further ones are closed. Without TRUSTED_PROXIES one address may have a quarter of them. 0: no limit.',
    default: '10000',
    read: integer(0, 1_000_000),
  },
  UPLOADS_PER_SENDER: {
    summary:
      'Most uploads that one person, or through share links one address (of IPv6: one /64), may have under way at once, in each process; 0: no limit.',
    default: '1000',
    read: integer(0, 1_000_000),
  },
  UPLOADS_PER_LINK: {
    summary:
      'Most uploads that may be under way at once through one share link, in all processes together; 0: no limit.',
    default: '8',
    read: integer(0, 1_000_000),
  },
  OPEN_UPLOADS_PER_PERSON: {
    summary: 'Most uploads in parts that one person may have begun and not completed; 0: no limit.',
    default: '1000',
    read: integer(0, 1_000_000),
  },
} as const
