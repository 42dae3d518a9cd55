import { Value } from 'typebox/value'
import { ServiceError } from '../../../../../contract/errors.ts'
import { STORAGE_NAME } from '../../../../../contract/names.ts'
import { MOST_REPLICATION_RULES, ReplicationRule } from '../../../../../contract/replication.ts'
import { MOST_TAGS, type Tags } from '../../../../../contract/shapes.ts'
import { newId } from '../../../../base/id.ts'
import { deleteReplication, findSettings, setReplication } from '../../../../storage/replication/settings.ts'
import { answer } from '../../answers/answer.ts'
import { element, result, type Xml } from '../../answers/xml.ts'
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

const STATUS = { Status: 'text' } as const
const FILTER = { Prefix: 'text', Tag: many(MOST_TAGS + 1, { Key: 'text', Value: 'text' }) } as const
/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html. Storage classes, other accounts, other owners,
 * keys of a key service and promised times are refused by name.
 */
export const REPLICATION: DocumentShape = {
  root: 'ReplicationConfiguration',
  most: 1024 ** 2,
  elements: {
    Role: 'text',
    Rule: many(MOST_REPLICATION_RULES + 1, {
      ID: 'text',
      Priority: 'text',
      Prefix: 'text',
      Filter: { Prefix: 'text', Tag: { Key: 'text', Value: 'text' }, And: FILTER },
      Status: 'text',
      SourceSelectionCriteria: { SseKmsEncryptedObjects: STATUS, ReplicaModifications: STATUS },
      ExistingObjectReplication: STATUS,
      Destination: {
        Bucket: 'text',
        Account: 'refused',
        StorageClass: 'refused',
        AccessControlTranslation: 'refused',
        EncryptionConfiguration: 'refused',
        ReplicationTime: { Status: 'text', Time: { Minutes: 'text' } },
        Metrics: { Status: 'text', EventThreshold: { Minutes: 'text' } },
      },
      DeleteMarkerReplication: STATUS,
    }),
  },
}

const refused = (message: string) => new S3Error('InvalidRequest', message)
const missing = () =>
  new S3Error('ReplicationConfigurationNotFoundError', 'The replication configuration was not found')

/** Whether a part of a rule is turned on; undefined without it. Throws MalformedXML. */
function isOn(node: XmlNode | undefined): boolean | undefined {
  if (!node) return undefined
  const status = childText(node, 'Status')
  if (status === 'Enabled' || status === 'Disabled') return status === 'Enabled'
  throw malformedXml()
}

/** Throws NotImplemented where a part of a rule is turned on that nothing here does. */
function refuseOn(parent: XmlNode | undefined, ...names: readonly string[]): void {
  for (const name of names)
    if (parent && isOn(child(parent, name))) throw new S3Error('NotImplemented', `${name} is not implemented.`)
}

function tagsIn(nodes: readonly XmlNode[]): Tags | undefined {
  const pairs = nodes.map((tag): [string, string] => {
    const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')]
    if (key === undefined || value === undefined) throw malformedXml()
    return [key, value]
  })
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length) throw refused('Duplicate Tag Keys are not allowed.')
  return pairs.length === 0 ? undefined : tags
}

/** What of the objects a rule is about. Throws MalformedXML or InvalidRequest. */
function filterOf(node: XmlNode): Pick<ReplicationRule, 'prefix' | 'tags'> {
  const filter = child(node, 'Filter')
  const prefix = childText(node, 'Prefix')
  if (!filter) return prefix === undefined ? {} : { prefix }
  if (prefix !== undefined || filter.children.length > 1) throw malformedXml()
  const about = child(filter, 'And') ?? filter
  const within = childText(about, 'Prefix')
  const tags = tagsIn(about.children.filter(({ name }) => name === 'Tag'))
  return { ...(within === undefined ? {} : { prefix: within }), ...(tags && { tags }) }
}

/** One `<Rule>`, without where it leads. */
function ruleOf(node: XmlNode): ReplicationRule {
  const destination = child(node, 'Destination')
  refuseOn(child(node, 'SourceSelectionCriteria'), 'SseKmsEncryptedObjects', 'ReplicaModifications')
  refuseOn(destination, 'ReplicationTime', 'Metrics')
  const enabled = isOn(node)
  if (enabled === undefined) throw malformedXml()
  const priority = childText(node, 'Priority')?.trim()
  if (priority !== undefined && !/^\d{1,10}$/.test(priority)) throw malformedXml()
  const filter = filterOf(node)
  // The first version of these documents has neither a filter nor a say in this.
  const deletes = isOn(child(node, 'DeleteMarkerReplication')) ?? !child(node, 'Filter')
  if (deletes && filter.tags)
    throw refused('Delete marker replication is not supported if any Tag filter is specified.')
  const rule = {
    id: childText(node, 'ID') || newId(),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    enabled,
    ...filter,
    deletes,
  }
  if (Value.Check(ReplicationRule, rule)) return rule
  throw refused(
    'A rule has an ID of at most 255 characters, a priority below 2147483648, a prefix of at most 1024 bytes, and at most 10 tags.',
  )
}

/** The registered storage that a rule names as its destination. Throws InvalidArgument or MalformedXML. */
function storageIn(node: XmlNode): string {
  const destination = child(node, 'Destination')
  const arn = destination && childText(destination, 'Bucket')?.trim()
  if (arn === undefined) throw malformedXml()
  const name = /^arn:aws:s3:::(.*)$/.exec(arn)?.[1]
  if (name !== undefined && new RegExp(STORAGE_NAME).test(name)) return name
  throw invalidArgument('Bucket', arn, 'Invalid bucket ARN: it names a registered storage, as arn:aws:s3:::<storage>')
}

/** What all rules have to have in common, as there is one replica. Throws NotImplemented. */
function common<T>(rules: readonly XmlNode[], of: (rule: XmlNode) => T, what: string): T {
  const [first, ...others] = rules.map(of)
  if (others.some((other) => other !== first)) throw new S3Error('NotImplemented', `All rules need the same ${what}.`)
  return first as T
}

export async function putBucketReplication(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const document = await readDocument(exchange, REPLICATION)
  const nodes = document.children.filter(({ name }) => name === 'Rule')
  if (nodes.length === 0 || nodes.length > MOST_REPLICATION_RULES) throw malformedXml()
  const rules = nodes.map(ruleOf)
  if (new Set(rules.map(({ id }) => id)).size < rules.length)
    throw new S3Error('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule')
  const storage = common(nodes, storageIn, 'destination')
  const existing = common(nodes, (node) => isOn(child(node, 'ExistingObjectReplication')) ?? false, 'existing objects')
  const role = childText(document, 'Role')?.trim()
  if (role !== undefined && (role.length > 2048 || /\p{Cc}/u.test(role)))
    throw invalidArgument('Role', role.slice(0, 100), 'Invalid role')
  // What S3 has no words for stays as it is.
  const before = await findSettings(ctx, bucket)
  const kept = before?.storage === storage ? { prefix: before.prefix, encrypted: before.encrypted } : {}
  await setReplication(ctx, bucket, { storage, rules, existing, ...(role && { role }), ...kept }).catch(
    (error: unknown) => {
      throw isMissing(error) ? refused('Destination bucket must exist.') : error
    },
  )
  await answer(exchange, 200, {})
}

/** Whether something is not there, other than the bucket. */
const isMissing = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'not_found' && error.missing !== 'bucket'

export async function deleteBucketReplication(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  await deleteReplication(ctx, bucket).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  await answer(exchange, 204, {})
}

const filterElement = ({ prefix, tags = {} }: ReplicationRule): Xml => {
  const found = Object.entries(tags).map(([name, value]) =>
    element('Tag', element('Key', name), element('Value', value)),
  )
  if (found.length === 0) return element('Filter', element('Prefix', prefix ?? ''))
  if (found.length === 1 && prefix === undefined) return element('Filter', found[0])
  return element('Filter', element('And', element('Prefix', prefix), ...found))
}

const statusElement = (name: string, isEnabled: boolean): Xml =>
  element(name, element('Status', isEnabled ? 'Enabled' : 'Disabled'))

/** The document of how a bucket is replicated. Throws ReplicationConfigurationNotFoundError. */
export async function replicationDocument({ ctx, bucket }: Exchange): Promise<string> {
  const found = await findSettings(ctx, bucket)
  if (!found) throw missing()
  const { role, rules, storage, existing } = found
  return result(
    'ReplicationConfiguration',
    element('Role', role ?? ''),
    ...rules.map((rule, i) =>
      element(
        'Rule',
        element('ID', rule.id ?? `rule-${i + 1}`),
        element('Priority', rule.priority ?? 0),
        filterElement(rule),
        element('Status', (rule.enabled ?? true) ? 'Enabled' : 'Disabled'),
        existing ? statusElement('ExistingObjectReplication', true) : undefined,
        element('Destination', element('Bucket', `arn:aws:s3:::${storage}`)),
        statusElement('DeleteMarkerReplication', rule.deletes ?? false),
      ),
    ),
  )
}
