import { Value } from 'typebox/value'
import {
  MOST_ROUTING_RULES,
  Website,
  type WebsiteRule,
  websiteProtocols,
} from '../../../../../contract/bucket-rules.ts'
import { findConfig, setConfig } from '../../../../storage/buckets/documents/config.ts'
import { answer } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import type { Exchange } from '../../requests/exchange.ts'
import {
  child,
  childText,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
  type XmlNode,
} from '../../requests/read-xml.ts'

// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html
const HOST = { HostName: 'text', Protocol: 'text' } as const
/** More rules than there may be, so that they are refused by name. */
export const WEBSITE: DocumentShape = {
  root: 'WebsiteConfiguration',
  most: 131_072,
  elements: {
    RedirectAllRequestsTo: HOST,
    IndexDocument: { Suffix: 'text' },
    ErrorDocument: { Key: 'text' },
    RoutingRules: {
      RoutingRule: many(1000, {
        Condition: { KeyPrefixEquals: 'text', HttpErrorCodeReturnedEquals: 'text' },
        Redirect: { ...HOST, ReplaceKeyPrefixWith: 'text', ReplaceKeyWith: 'text', HttpRedirectCode: 'text' },
      }),
    },
  },
}

const refused = (message: string) => new S3Error('InvalidRequest', message)

/** Throws MalformedXML for an element that none of these names has, or that is there twice. */
function assertElements({ children }: XmlNode, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const { name } of children) if (!names.includes(name) || seen.size === seen.add(name).size) throw malformedXml()
}

function protocolIn(node: XmlNode): (typeof websiteProtocols)[number] | undefined {
  const given = childText(node, 'Protocol')
  const known = websiteProtocols.find((one) => one === given)
  if (given === undefined || known) return known
  throw refused(
    'Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.',
  )
}

/** What a host is, and what it is not: a name with a port and perhaps a path, never a text that leads elsewhere. */
function hostIn(node: XmlNode): string | undefined {
  const host = childText(node, 'HostName')
  if (host === undefined || Value.Check(Website, { redirect_all: { host } })) return host
  throw refused('A host name must be a name like "www.example.com", perhaps with a port.')
}

/** A status; `isValid` says which can be meant. Throws MalformedXML or InvalidRequest. */
function codeIn(node: XmlNode, name: string, isValid: (code: number) => boolean, fault: readonly [string, string]) {
  const text = childText(node, name)?.trim()
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw malformedXml()
  if (isValid(Number(text))) return Number(text)
  const [what, valid] = fault
  throw refused(`The provided HTTP ${what} code (${text}) is not valid. Valid codes are ${valid}.`)
}

const REDIRECTS = [301, 302, 303, 304, 305, 307, 308] as const
const isError = (code: number) => (code >= 400 && code <= 417) || (code >= 500 && code <= 505)

/** An object without what is undefined; undefined if nothing is left. */
function present<T extends object>(record: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never
}

function ruleOf(node: XmlNode): WebsiteRule {
  if (node.name !== 'RoutingRule') throw malformedXml()
  assertElements(node, ['Condition', 'Redirect'])
  const [condition, redirect] = [child(node, 'Condition'), child(node, 'Redirect')]
  if (!redirect) throw malformedXml()
  if (condition) assertElements(condition, ['KeyPrefixEquals', 'HttpErrorCodeReturnedEquals'])
  assertElements(redirect, ['Protocol', 'HostName', 'ReplaceKeyPrefixWith', 'ReplaceKeyWith', 'HttpRedirectCode'])
  if (condition?.children.length === 0)
    throw refused(
      "Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be present.",
    )
  if (redirect.children.length === 0) throw malformedXml()
  const [replace_key_prefix, replace_key] = [
    childText(redirect, 'ReplaceKeyPrefixWith'),
    childText(redirect, 'ReplaceKeyWith'),
  ]
  if (replace_key_prefix !== undefined && replace_key !== undefined)
    throw refused('You can only define ReplaceKeyPrefix or ReplaceKey but not both.')
  return {
    ...(condition && {
      condition: present({
        key_prefix: childText(condition, 'KeyPrefixEquals'),
        error_code: codeIn(condition, 'HttpErrorCodeReturnedEquals', isError, ['error', '4XX or 5XX']),
      }),
    }),
    redirect: present({
      protocol: protocolIn(redirect),
      host: hostIn(redirect),
      replace_key_prefix,
      replace_key,
      code: codeIn(redirect, 'HttpRedirectCode', (code) => REDIRECTS.some((one) => one === code), [
        'redirect',
        '3XX except 300',
      ]) as (typeof REDIRECTS)[number] | undefined,
    }),
  }
}

function rulesIn(node: XmlNode | undefined): WebsiteRule[] | undefined {
  if (!node) return undefined
  if (node.children.length > MOST_ROUTING_RULES)
    throw refused(
      `${node.children.length} routing rules provided, the number of routing rules in a website configuration is limited to ${MOST_ROUTING_RULES}.`,
    )
  return node.children.length === 0 ? undefined : node.children.map(ruleOf)
}

/** Throws MalformedXML, InvalidArgument or InvalidRequest. */
function websiteIn(document: XmlNode): Website {
  assertElements(document, ['RedirectAllRequestsTo', 'IndexDocument', 'ErrorDocument', 'RoutingRules'])
  const all = child(document, 'RedirectAllRequestsTo')
  if (all) {
    if (document.children.length > 1)
      throw invalidArgument(
        'RedirectAllRequestsTo',
        'not null',
        'RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.',
      )
    assertElements(all, ['HostName', 'Protocol'])
    const [protocol, host] = [protocolIn(all), hostIn(all)]
    if (host === undefined) throw malformedXml()
    return { redirect_all: { host, ...(protocol && { protocol }) } }
  }
  const index = child(document, 'IndexDocument')
  if (!index)
    throw invalidArgument(
      'IndexDocument',
      'null',
      'A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty',
    )
  assertElements(index, ['Suffix'])
  const suffix = childText(index, 'Suffix') ?? ''
  if (!Value.Check(Website, { index: suffix }))
    throw invalidArgument('IndexDocument', suffix, 'The IndexDocument Suffix is not well formed')
  const error = child(document, 'ErrorDocument')
  if (error) assertElements(error, ['Key'])
  const key = error && (childText(error, 'Key') ?? '')
  if (key !== undefined && !Value.Check(Website, { index: suffix, error: key }))
    throw invalidArgument('ErrorDocument', key, 'The ErrorDocument Key is not well formed')
  const rules = rulesIn(child(document, 'RoutingRules'))
  const website = { index: suffix, ...(key !== undefined && { error: key }), ...(rules && { rules }) }
  if (!Value.Check(Website, website))
    throw refused('A key has at most 1024 characters, none of them a control character.')
  return website
}

const ruleElement = ({ condition, redirect }: WebsiteRule) =>
  element(
    'RoutingRule',
    condition &&
      element(
        'Condition',
        element('KeyPrefixEquals', condition.key_prefix),
        element('HttpErrorCodeReturnedEquals', condition.error_code),
      ),
    element(
      'Redirect',
      element('Protocol', redirect.protocol),
      element('HostName', redirect.host),
      element('ReplaceKeyPrefixWith', redirect.replace_key_prefix),
      element('ReplaceKeyWith', redirect.replace_key),
      element('HttpRedirectCode', redirect.code),
    ),
  )

/** The document of a bucket's website; throws NoSuchWebsiteConfiguration. */
export async function websiteDocument({ ctx, bucket }: Exchange): Promise<string> {
  const website = await findConfig(ctx.db, bucket, 'website')
  if (!website) throw noWebsite(bucket)
  if ('redirect_all' in website) {
    const { host, protocol } = website.redirect_all
    return result(
      'WebsiteConfiguration',
      element('RedirectAllRequestsTo', element('HostName', host), element('Protocol', protocol)),
    )
  }
  const { index, error, rules } = website
  return result(
    'WebsiteConfiguration',
    element('IndexDocument', element('Suffix', index)),
    error === undefined ? undefined : element('ErrorDocument', element('Key', error)),
    rules && element('RoutingRules', ...rules.map(ruleElement), ''),
  )
}

export const noWebsite = (bucket: string) =>
  new S3Error('NoSuchWebsiteConfiguration', 'The specified bucket does not have a website configuration', {
    fields: { BucketName: bucket },
  })

export async function putBucketWebsite(exchange: Exchange): Promise<void> {
  const website = websiteIn(await readDocument(exchange, WEBSITE))
  await setConfig(exchange.ctx, exchange.bucket, 'website', website)
  await answer(exchange, 200, {})
}

export async function deleteBucketWebsite(exchange: Exchange): Promise<void> {
  await setConfig(exchange.ctx, exchange.bucket, 'website', null)
  await answer(exchange, 204, {})
}
