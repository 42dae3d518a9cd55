import { basicTime } from '../../../base/dates.ts'
import { DAY_MS } from '../../../base/time.ts'
import type { Known } from '../../../iam/conditions.ts'
import type { ActionNames } from '../../../iam/names-of-rights.ts'
import type { RequestFacts } from '../../../iam/request-facts.ts'
import { tagsInHeader } from '../operations/documents/tagging.ts'
import { type Exchange, header, parameter } from './exchange.ts'

/** Keys that are a parameter of the query. */
const PARAMETERS: { readonly [key: string]: string } = {
  's3:prefix': 'prefix',
  's3:delimiter': 'delimiter',
  's3:max-keys': 'max-keys',
  's3:versionid': 'versionId',
}
/** Keys that are a header of another name. */
const HEADERS: { readonly [key: string]: string } = {
  's3:if-match': 'if-match',
  's3:if-none-match': 'if-none-match',
  's3:object-lock-mode': 'x-amz-object-lock-mode',
  's3:object-lock-legal-hold': 'x-amz-object-lock-legal-hold',
  's3:object-lock-retain-until-date': 'x-amz-object-lock-retain-until-date',
  'aws:referer': 'referer',
}

const one = (value: string | undefined): Known => (value === undefined ? undefined : [value])

/** The tags that a request brings: those of its header, or of its document once that was read. */
function tagsOf(exchange: Exchange): { readonly [name: string]: string } | undefined | 'later' {
  if (exchange.newTags !== undefined) return exchange.newTags
  const text = header(exchange, 'x-amz-tagging')
  return text === undefined || text === '' ? undefined : tagsInHeader(text)
}

/** The source of a copy as policies write it: without the slash before it. */
const copySource = (exchange: Exchange): string | undefined => {
  const text = header(exchange, 'x-amz-copy-source')
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text).replace(/^\//, '')
  } catch {
    return text.replace(/^\//, '')
  }
}

/** How the request was signed, in S3's words; undefined without a credential. */
function authenticationOf({ authenticated, form }: Exchange): { type: string; version: string } | undefined {
  if (authenticated.accessKeyId === undefined) return undefined
  const { presigned } = authenticated
  return {
    type: form ? 'POST' : presigned ? 'REST-QUERY-STRING' : 'REST-HEADER',
    version: presigned === 'old' ? 'AWS' : 'AWS4-HMAC-SHA256',
  }
}

/** What policies can know of a request (https://docs.aws.amazon.com/AmazonS3/latest/userguide/amazon-s3-policy-keys.html). */
export function factsOf(exchange: Exchange, names: ActionNames): RequestFacts {
  const { system } = exchange
  function known(key: string): Known {
    const parameterName = Object.hasOwn(PARAMETERS, key) ? PARAMETERS[key] : undefined
    if (parameterName !== undefined) return one(parameter(exchange, parameterName))
    const headerName = Object.hasOwn(HEADERS, key) ? HEADERS[key] : undefined
    if (headerName !== undefined) return one(header(exchange, headerName))
    if (key === 's3:x-amz-copy-source') return one(copySource(exchange))
    if (key.startsWith('s3:x-amz-')) return one(header(exchange, key.slice('s3:'.length)))
    if (key.startsWith('s3:requestobjecttag')) {
      const tags = tagsOf(exchange)
      if (tags === undefined || tags === 'later') return tags
      if (key === 's3:requestobjecttagkeys') return Object.keys(tags)
      const name = key.slice('s3:requestobjecttag/'.length)
      return Object.hasOwn(tags, name) ? one(tags[name]) : undefined
    }
    switch (key) {
      case 'aws:securetransport':
        return [String(exchange.scheme === 'https')]
      case 'aws:requestedregion':
        return [system.config.s3.region]
      case 's3:authtype':
        return one(authenticationOf(exchange)?.type)
      case 's3:signatureversion':
        return one(authenticationOf(exchange)?.version)
      case 's3:signatureage': {
        const signed = basicTime(header(exchange, 'x-amz-date') ?? parameter(exchange, 'X-Amz-Date') ?? '')
        return signed && [String(Math.max(0, system.now().getTime() - signed.getTime()))]
      }
      case 's3:object-lock-remaining-retention-days': {
        const until = Date.parse(header(exchange, 'x-amz-object-lock-retain-until-date') ?? '')
        return Number.isNaN(until) ? undefined : [String(Math.ceil((until - system.now().getTime()) / DAY_MS))]
      }
      default:
        return undefined
    }
  }
  return { names, known }
}
