import { Value } from 'typebox/value'
import { isKeyText } from '../../../../../contract/names.ts'
import { MOST_TAGS, SomeTags, type Tags } from '../../../../../contract/shapes.ts'
import { isoTime } from '../../../../base/dates.ts'
import { newId } from '../../../../base/id.ts'
import { DAY_MS } from '../../../../base/time.ts'
import { setLifecycle } from '../../../../features/policies/lifecycle.ts'
import { isNarrow, type LifecycleFilter, type LifecycleRule } from '../../../../storage/buckets/documents/lifecycle.ts'
import { answer } from '../../answers/answer.ts'
import { element, result, type Xml, xmlTime } from '../../answers/xml.ts'
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

const MOST_BYTES = 1024 ** 2
const MOST_RULES = 1000
const MOST_ID = 255
/** A hundred years: what policies count. */
const MOST_DAYS = 36_500
const CONDITIONS = new Set(['Prefix', 'Tag', 'ObjectSizeGreaterThan', 'ObjectSizeLessThan'])
const FILTER = {
  Prefix: 'text',
  Tag: many(MOST_TAGS + 1, { Key: 'text', Value: 'text' }),
  ObjectSizeGreaterThan: 'text',
  ObjectSizeLessThan: 'text',
} as const
const TRANSITION = {
  Date: 'text',
  Days: 'text',
  NoncurrentDays: 'text',
  NewerNoncurrentVersions: 'text',
  StorageClass: 'text',
} as const
export const LIFECYCLE: DocumentShape = {
  root: 'LifecycleConfiguration',
  most: MOST_BYTES,
  elements: {
    Rule: many(MOST_RULES, {
      ID: 'text',
      Status: 'text',
      Prefix: 'text',
      Filter: { ...FILTER, And: FILTER },
      Expiration: { Days: 'text', Date: 'text', ExpiredObjectDeleteMarker: 'text' },
      NoncurrentVersionExpiration: { NoncurrentDays: 'text', NewerNoncurrentVersions: 'text' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 'text' },
      // Refused by name.
      Transition: TRANSITION,
      NoncurrentVersionTransition: TRANSITION,
    }),
  },
}

const refused = (message: string) => new S3Error('InvalidRequest', message)

/** The number in a child; undefined without one. Throws MalformedXML, or InvalidArgument out of its bounds. */
function numberIn(node: XmlNode, name: string, least: number, most: number): number | undefined {
  const text = childText(node, name)?.trim()
  if (text === undefined) return undefined
  if (!/^-?\d{1,19}$/.test(text)) throw malformedXml()
  const value = Number(text)
  if (value < least || value > most)
    throw invalidArgument(name, text, `'${name}' must be a whole number from ${least} to ${most}`)
  return value
}
const daysIn = (node: XmlNode, name: string): number | undefined => numberIn(node, name, 1, MOST_DAYS)

/** The prefix of keys that have all of these; undefined without any. Throws InvalidRequest if no key can. */
function narrowest(prefixes: readonly string[]): string | undefined {
  const [longest, ...others] = prefixes.toSorted((a, b) => b.length - a.length)
  if (longest !== undefined && others.every((one) => longest.startsWith(one))) return longest
  if (others.length > 0) throw refused('No key has all the prefixes of the rule.')
  return undefined
}

/** The conditions that are children of a node. */
function filterOf(conditions: readonly XmlNode[]): LifecycleFilter {
  if (conditions.some(({ name }) => !CONDITIONS.has(name))) throw malformedXml()
  const node: XmlNode = { name: '', text: '', children: [...conditions] }
  const prefix = narrowest(conditions.filter(({ name }) => name === 'Prefix').map(({ text }) => text))
  for (const name of ['ObjectSizeGreaterThan', 'ObjectSizeLessThan'])
    if (conditions.filter((one) => one.name === name).length > 1) throw malformedXml()
  const pairs = conditions
    .filter(({ name }) => name === 'Tag')
    .map((tag): [string, string] => {
      const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')]
      if (key === undefined || value === undefined) throw malformedXml()
      return [key, value]
    })
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length) throw refused('Duplicate Tag Keys are not allowed.')
  if (pairs.length > 0 && !Value.Check(SomeTags, tags))
    throw new S3Error('InvalidTag', 'A rule has at most 10 tags, with 1 to 128 characters of key and 256 of value.')
  if (prefix !== undefined && !isKeyText(prefix, 0))
    throw invalidArgument('Prefix', prefix, 'The maximum size of a prefix is 1024.')
  const greater_than = numberIn(node, 'ObjectSizeGreaterThan', 0, Number.MAX_SAFE_INTEGER - 1)
  const less_than = numberIn(node, 'ObjectSizeLessThan', 1, Number.MAX_SAFE_INTEGER)
  if (greater_than !== undefined && less_than !== undefined && greater_than + 1 >= less_than)
    throw refused("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.")
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(pairs.length === 0 ? {} : { tags }),
    ...(greater_than === undefined ? {} : { greater_than }),
    ...(less_than === undefined ? {} : { less_than }),
  }
}

/** What a rule is about, however it is written. */
function aboutOf(node: XmlNode): Pick<LifecycleRule, 'filter' | 'written'> {
  const filter = child(node, 'Filter')
  const prefix = child(node, 'Prefix')
  if ((filter === undefined) === (prefix === undefined)) throw malformedXml()
  if (prefix) return { filter: filterOf([prefix]), written: 'prefix' }
  const conditions = filter?.children ?? []
  if (new Set(conditions.map(({ name }) => name)).size < conditions.length) throw malformedXml()
  const and = conditions.find(({ name }) => name === 'And')
  // AWS takes several conditions inside And only; clients send them beside each other, and beside And, too.
  if (and) return { filter: filterOf([...conditions.filter((one) => one !== and), ...and.children]), written: 'and' }
  return { filter: filterOf(conditions), written: 'filter' }
}

function expirationOf(node: XmlNode): NonNullable<LifecycleRule['expiration']> {
  if (node.children.length !== 1) throw malformedXml()
  const days = daysIn(node, 'Days')
  if (days !== undefined) return { days }
  const date = childText(node, 'Date')?.trim()
  if (date !== undefined) {
    const time = isoTime(date)
    if (!time) throw malformedXml()
    if (time.getTime() % DAY_MS !== 0) throw invalidArgument('Date', date, "'Date' must be at midnight GMT")
    return { date: time.toISOString() }
  }
  const marker = childText(node, 'ExpiredObjectDeleteMarker')?.trim()
  if (marker !== 'true' && marker !== 'false') throw malformedXml()
  return { expired_delete_marker: marker === 'true' }
}

function noncurrentOf(node: XmlNode): NonNullable<LifecycleRule['noncurrent']> {
  const days = daysIn(node, 'NoncurrentDays')
  const newer = numberIn(node, 'NewerNoncurrentVersions', 1, 100)
  if (days === undefined) throw malformedXml()
  return { days, ...(newer === undefined ? {} : { newer }) }
}

/** One `<Rule>`. Throws MalformedXML, InvalidArgument, InvalidRequest, InvalidTag or InvalidStorageClass. */
function ruleOf(node: XmlNode): LifecycleRule {
  if (node.children.some(({ name }) => name === 'Transition' || name === 'NoncurrentVersionTransition'))
    throw new S3Error('InvalidStorageClass', 'There is no other storage class to which objects could be moved')
  const id = childText(node, 'ID') || newId()
  if (id.length > MOST_ID) throw invalidArgument('ID', id, `ID length should not exceed allowed limit of ${MOST_ID}`)
  const status = childText(node, 'Status')
  if (status !== 'Enabled' && status !== 'Disabled') throw malformedXml()
  const about = aboutOf(node)
  const [expiration, noncurrent, abort] = [
    child(node, 'Expiration'),
    child(node, 'NoncurrentVersionExpiration'),
    child(node, 'AbortIncompleteMultipartUpload'),
  ]
  if (!expiration && !noncurrent && !abort) throw refused('At least one action needs to be specified in a rule.')
  const abort_days = abort && daysIn(abort, 'DaysAfterInitiation')
  if (abort && abort_days === undefined) throw malformedXml()
  // An upload has neither tags nor a size before it is completed.
  if (abort && isNarrow(about.filter))
    throw refused('AbortIncompleteMultipartUpload cannot be specified with Tags or object sizes.')
  if (expiration && child(expiration, 'ExpiredObjectDeleteMarker') && isNarrow(about.filter))
    throw refused('ExpiredObjectDeleteMarker cannot be specified with Tags or object sizes.')
  return {
    id,
    enabled: status === 'Enabled',
    ...about,
    ...(expiration ? { expiration: expirationOf(expiration) } : {}),
    ...(noncurrent ? { noncurrent: noncurrentOf(noncurrent) } : {}),
    ...(abort_days === undefined ? {} : { abort_days }),
  }
}

export async function putBucketLifecycle(exchange: Exchange): Promise<void> {
  const { children } = await readDocument(exchange, LIFECYCLE)
  if (children.length === 0 || children.length > MOST_RULES) throw malformedXml()
  const rules = children.map(ruleOf)
  if (new Set(rules.map(({ id }) => id)).size < rules.length)
    throw new S3Error('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule')
  await setLifecycle(exchange.ctx, exchange.bucket, rules)
  await answer(exchange, 200, {})
}

export async function deleteBucketLifecycle(exchange: Exchange): Promise<void> {
  await setLifecycle(exchange.ctx, exchange.bucket, null)
  await answer(exchange, 204, {})
}

const filterElement = ({ filter, written }: LifecycleRule): Xml => {
  const { prefix, tags = {}, greater_than, less_than } = filter
  const conditions = [
    element('Prefix', prefix),
    ...Object.entries(tags).map(([name, value]) => element('Tag', element('Key', name), element('Value', value))),
    element('ObjectSizeGreaterThan', greater_than),
    element('ObjectSizeLessThan', less_than),
  ]
  if (written === 'prefix') return element('Prefix', prefix ?? '')
  return element('Filter', ...(written === 'and' ? [element('And', ...conditions)] : conditions))
}

const expirationElement = ({ expiration }: LifecycleRule): Xml => {
  if (!expiration) return undefined
  if ('days' in expiration) return element('Expiration', element('Days', expiration.days))
  if ('date' in expiration) return element('Expiration', element('Date', xmlTime(expiration.date)))
  return element('Expiration', element('ExpiredObjectDeleteMarker', expiration.expired_delete_marker))
}

/** The document of a bucket's rules. */
export const lifecycleDocument = (rules: readonly LifecycleRule[]): string =>
  result(
    'LifecycleConfiguration',
    ...rules.map((rule) => {
      const { id, enabled, noncurrent, abort_days } = rule
      return element(
        'Rule',
        element('ID', id),
        filterElement(rule),
        element('Status', enabled ? 'Enabled' : 'Disabled'),
        expirationElement(rule),
        noncurrent &&
          element(
            'NoncurrentVersionExpiration',
            element('NoncurrentDays', noncurrent.days),
            element('NewerNoncurrentVersions', noncurrent.newer),
          ),
        abort_days === undefined
          ? undefined
          : element('AbortIncompleteMultipartUpload', element('DaysAfterInitiation', abort_days)),
      )
    }),
  )
