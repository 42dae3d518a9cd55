import { isBucketName } from '../../../contract/names.ts'
import { ownerships } from '../../../contract/public-access.ts'
import { httpUrl, integer, list, oneOf } from './readers.ts'

/** A port, and whether one of those after it will do. */
const port = (text: string): { first: number; orNext: boolean } | null => {
  if (text === '') return null
  const orNext = text.endsWith('+')
  return { first: integer(orNext ? 1 : 0, 65_535)(orNext ? text.slice(0, -1) : text), orNext }
}

const names = (text: string) => {
  const found = list(text).map((one) => one.toLowerCase())
  for (const one of found)
    if (!/^[a-z0-9.-]+(:\d{1,5})?$/.test(one)) throw new Error(`has "${one}", which is not a host name`)
  return found
}

const domains = (text: string) => {
  const found = names(text)
  for (const one of found) if (one.includes(':')) throw new Error(`has "${one}"; give the domain without a port`)
  return found
}

/** Variables of the S3 endpoint. */
export const s3Variables = {
  S3_PORT: {
    summary:
      'Port of the S3 endpoint, which S3 clients use with access keys. `9000+` takes the next free one if 9000 is in use, `0` any. Default: `9000+` for `strongroom start`; `strongroom serve` has no such endpoint unless this is set. Empty: none. (`S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY` belong to the storage at `STORAGE_URL`, not to this endpoint.)',
    default: '',
    read: port,
  },
  S3_HOST: { summary: 'Address the S3 endpoint listens on. Default: `HOST`.', default: '', read: String },
  S3_DOMAIN: {
    summary:
      'Comma-separated domains of the S3 endpoint. Each of their subdomains is then a bucket (`photos.s3.example.com`), besides the path style.',
    default: '',
    read: domains,
  },
  S3_WEBSITE_DOMAIN: {
    summary:
      'Comma-separated domains of the websites of buckets, on the port of the S3 endpoint. Each of their subdomains shows the website of a bucket (`docs.sites.example.net`), the domain itself that of the bucket of its name. Choose a domain of its own, with which neither the console nor the S3 endpoint has anything in common: its pages are whatever the owners of buckets put there. Empty: no websites.',
    default: '',
    read: domains,
  },
  S3_REGION: {
    summary: 'Region that the S3 endpoint reports. Requests may be signed for any.',
    default: 'us-east-1',
    read: (text: string) => {
      if (!isBucketName(text)) throw new Error('must be a region like us-east-1')
      return text
    },
  },
  S3_HOSTS: {
    summary:
      'Comma-separated other names of the S3 endpoint (`s3.example.com`, `minio:9000`): requests signed for one of them are accepted when a proxy has changed the Host header.',
    default: '',
    read: names,
  },
  S3_SIGNATURE_V2: {
    summary:
      'What Signature Version 2, which AWS has given up, is accepted for besides forms: `presigned` for presigned URLs of objects, as boto3, django-storages and s3cmd still make them. Empty: nothing.',
    default: '',
    read: (text: string): '' | 'presigned' => {
      if (text !== '' && text !== 'presigned') throw new Error('must be presigned or empty')
      return text
    },
  },
  S3_KEYS_WITHOUT_TLS: {
    summary:
      'Whether clients may send keys of their own (SSE-C) over connections without TLS. Only where nobody else can read these; an endpoint on loopback takes them anyway.',
    default: 'false',
    read: (text: string) => oneOf('true', 'false')(text) === 'true',
  },
  S3_DEFAULT_OWNERSHIP: {
    summary:
      'Whether objects and buckets of a new bucket can have ACLs, unless its creation says: `BucketOwnerEnforced` (no ACLs), `BucketOwnerPreferred` or `ObjectWriter`.',
    default: 'BucketOwnerEnforced',
    read: (text: string) => {
      const found = ownerships.find((one) => one === text)
      if (!found) throw new Error(`must be one of ${ownerships.join(', ')}`)
      return found
    },
  },
  S3_LIFECYCLE_DAY_SECONDS: {
    summary:
      'Seconds that count as a day in the lifecycle configurations of buckets. Less than a day only to try them out: objects are then deleted that much earlier.',
    default: '86400',
    read: integer(1, 86_400),
  },
  S3_PUBLIC_URL: {
    summary:
      'URL at which S3 clients reach the endpoint, for the settings that the console shows and the locations of complete uploads. Default: in the console the first of `S3_DOMAIN`, otherwise the name of the page with the port of the endpoint; in locations the host that the client asked.',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
} as const

interface Named {
  S3_WEBSITE_DOMAIN?: readonly string[]
  S3_DOMAIN?: readonly string[]
  S3_HOSTS?: readonly string[]
  PUBLIC_BASE_URL?: string
  S3_PUBLIC_URL?: string
}

/**
 * Pages of websites are whatever owners of buckets put there: none may come from where the console, the API or the S3
 * endpoint are. Only of variables that could be read.
 */
export function faultsOfWebsites(values: Readonly<Record<string, unknown>>): string[] {
  const { S3_WEBSITE_DOMAIN: domains = [], S3_DOMAIN = [], S3_HOSTS = [], ...urls } = values as Named
  const { PUBLIC_BASE_URL, S3_PUBLIC_URL } = urls
  const others = [
    ...S3_DOMAIN.map((name) => ['S3_DOMAIN', name] as const),
    ...S3_HOSTS.map((name) => ['S3_HOSTS', name.replace(/:\d+$/, '')] as const),
    ...Object.entries({ PUBLIC_BASE_URL, S3_PUBLIC_URL }).flatMap(([variable, url]) =>
      url ? [[variable, new URL(url).hostname.toLowerCase()] as const] : [],
    ),
  ]
  const isBelow = (name: string, domain: string) => name === domain || name.endsWith(`.${domain}`)
  return domains.flatMap((domain) =>
    others
      .filter(([variable, name]) => isBelow(name, domain) || (variable === 'S3_DOMAIN' && isBelow(domain, name)))
      .map(([variable, name]) => `S3_WEBSITE_DOMAIN has "${domain}", which overlaps with "${name}" of ${variable}`),
  )
}
