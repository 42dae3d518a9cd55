import { ServiceError } from '../../../../../contract/errors.ts'
import { type Inventory, type InventoryColumn, inventoryColumns } from '../../../../../contract/inventories.ts'
import { isBucketName, isKeyText } from '../../../../../contract/names.ts'
import { canonicalId } from '../../../../base/canonical-id.ts'
import { findNamed, listNamed, putNamed, removeNamed } from '../../../../features/inventories/named.ts'
import { actionsIn } from '../../../../iam/decide.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { answer } from '../../answers/answer.ts'
import { type Element, element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { type Exchange, parameter } from '../../requests/exchange.ts'
import {
  child,
  childFlag,
  childText,
  childTexts,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
} from '../../requests/read-xml.ts'

/** The optional fields of S3's inventory, and the columns that they are here. */
const FIELDS: { readonly [field: string]: InventoryColumn } = {
  Size: 'size',
  LastModifiedDate: 'last_modified_date',
  StorageClass: 'storage_class',
  ETag: 'e_tag',
  IsMultipartUploaded: 'is_multipart_uploaded',
  ReplicationStatus: 'replication_status',
  EncryptionStatus: 'encryption_status',
  ObjectLockRetainUntilDate: 'object_lock_retain_until_date',
  ObjectLockMode: 'object_lock_mode',
  ObjectLockLegalHoldStatus: 'object_lock_legal_hold_status',
  ChecksumAlgorithm: 'checksum_algorithm',
  ObjectOwner: 'object_owner',
}
/** Those that say something of which nothing is known here. */
const REFUSED_FIELDS = [
  'IntelligentTieringAccessTier',
  'BucketKeyStatus',
  'ObjectAccessControlList',
  'LifecycleExpirationDate',
]
const OF_VERSIONS: readonly InventoryColumn[] = ['version_id', 'is_latest', 'is_delete_marker']
const MOST_FIELDS = Object.keys(FIELDS).length + REFUSED_FIELDS.length
/** As many as S3 lists at once. */
const PAGE = 100

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketInventoryConfiguration.html. The format ORC, another owner of the
 * destination, and an encryption of its own are refused by name.
 */
export const INVENTORY: DocumentShape = {
  root: 'InventoryConfiguration',
  most: 64 * 1024,
  elements: {
    Destination: {
      S3BucketDestination: {
        AccountId: 'text',
        Bucket: 'text',
        Format: 'text',
        Prefix: 'text',
        Encryption: 'refused',
      },
    },
    IsEnabled: 'text',
    Filter: { Prefix: 'text' },
    Id: 'text',
    IncludedObjectVersions: 'text',
    OptionalFields: { Field: many(MOST_FIELDS) },
    Schedule: { Frequency: 'text' },
  },
}

const noSuch = () => new S3Error('NoSuchConfiguration', 'The specified configuration does not exist.')
const idOf = (exchange: Exchange): string => parameter(exchange, 'id') ?? ''

function columnsIn(fields: readonly string[], isOfVersions: boolean): InventoryColumn[] {
  const chosen = fields.map((text) => {
    const field = text.trim()
    if (REFUSED_FIELDS.includes(field)) throw new S3Error('NotImplemented', `The field ${field} is not implemented.`)
    const column = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
    if (column === undefined) throw malformedXml()
    return column
  })
  // S3 has an order of its own, which ours begins with.
  const wanted = new Set<InventoryColumn>(['bucket', 'key', ...(isOfVersions ? OF_VERSIONS : []), ...chosen])
  return inventoryColumns.filter((column) => wanted.has(column))
}

/** Throws InvalidRequest for another owner of the destination than it has. */
async function assertOwns({ ctx }: Exchange, bucket: string, account: string | undefined): Promise<void> {
  if (account === undefined || actionsIn(ctx.actor, bucket).length === 0) return
  const row = await findBucket(ctx.db, bucket)
  if (row && canonicalId(row.created_by) !== account)
    throw new S3Error('InvalidRequest', 'The AccountId is not that of the owner of the destination bucket.')
}

/** Sets up an inventory of a bucket, or changes that of the name. */
export async function putBucketInventory(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const document = await readDocument(exchange, INVENTORY)
  const place = child(document, 'Destination')
  const destination = place && child(place, 'S3BucketDestination')
  const schedule = child(document, 'Schedule')
  const id = childText(document, 'Id')
  const versions = childText(document, 'IncludedObjectVersions')?.trim()
  const frequency = schedule && childText(schedule, 'Frequency')?.trim()
  if (!destination || id === undefined || childText(document, 'IsEnabled') === undefined) throw malformedXml()
  if (versions !== 'All' && versions !== 'Current') throw malformedXml()
  if (frequency !== 'Daily' && frequency !== 'Weekly') throw malformedXml()
  if (id !== idOf(exchange) || !/^[A-Za-z0-9._-]{1,64}$/.test(id))
    throw invalidArgument(
      'Id',
      id.slice(0, 100),
      'The Id must be that of the request: 1 to 64 letters, digits, ".", "-" and "_"',
    )
  const arn = childText(destination, 'Bucket')?.trim() ?? ''
  const name = arn.startsWith('arn:aws:s3:::') ? arn.slice('arn:aws:s3:::'.length) : ''
  if (!isBucketName(name)) throw invalidArgument('Bucket', arn.slice(0, 100), 'Invalid bucket ARN')
  const format = childText(destination, 'Format')?.trim()
  if (format === 'ORC') throw new S3Error('NotImplemented', 'The format ORC is not implemented.')
  if (format !== 'CSV' && format !== 'Parquet') throw malformedXml()
  await assertOwns(exchange, name, childText(destination, 'AccountId')?.trim())
  const prefix = childText(destination, 'Prefix')
  const filter = child(document, 'Filter')
  const listed = (filter && childText(filter, 'Prefix')) ?? ''
  for (const text of [prefix ?? '', listed])
    if (!isKeyText(text, 0)) throw invalidArgument('Prefix', text.slice(0, 100), 'The prefix is too long or invalid')
  const fields = child(document, 'OptionalFields')
  await putNamed(ctx, bucket, id, {
    destination: { bucket: name, prefix: prefix ? `${prefix}/` : '' },
    prefix: listed,
    format: format === 'CSV' ? 'csv' : 'parquet',
    versions: versions === 'All' ? 'all' : 'current',
    columns: columnsIn(fields ? childTexts(fields, 'Field') : [], versions === 'All'),
    schedule: frequency === 'Daily' ? 'daily' : 'weekly',
    enabled: childFlag(document, 'IsEnabled'),
  }).catch((error: unknown) => {
    const isMissing = error instanceof ServiceError && error.code === 'not_found'
    throw isMissing ? new S3Error('InvalidRequest', 'Destination bucket must exist.') : error
  })
  await answer(exchange, 200, {})
}

export async function deleteBucketInventory(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  await removeNamed(ctx, bucket, idOf(exchange))
  await answer(exchange, 204, {})
}

/** One of a bucket's inventories. Throws NoSuchConfiguration. */
export async function inventoryDocument(exchange: Exchange): Promise<string> {
  const found = await findNamed(exchange.ctx, exchange.bucket, idOf(exchange))
  if (!found) throw noSuch()
  return result('InventoryConfiguration', ...partsOf(found))
}

/** A bucket's inventories, by name. */
export async function inventoriesDocument(exchange: Exchange): Promise<string> {
  const token = parameter(exchange, 'continuation-token')
  const all = await listNamed(exchange.ctx, exchange.bucket, { after: token ?? '', limit: PAGE + 1 })
  const page = all.slice(0, PAGE)
  const isTruncated = all.length > PAGE
  return result(
    'ListInventoryConfigurationsResult',
    element('IsTruncated', isTruncated),
    element('ContinuationToken', token),
    element('NextContinuationToken', isTruncated ? page.at(-1)?.name : undefined),
    ...page.map((one) => element('InventoryConfiguration', ...partsOf(one))),
  )
}

function partsOf(one: Inventory): Element[] {
  const { destination, columns, format, versions, prefix, schedule, enabled } = one
  const chosen = new Set<InventoryColumn>(columns ?? inventoryColumns)
  const fields = Object.entries(FIELDS).filter(([, column]) => chosen.has(column))
  return [
    element('Id', one.name),
    element('IsEnabled', enabled && schedule !== null),
    element(
      'Destination',
      element(
        'S3BucketDestination',
        element('Bucket', `arn:aws:s3:::${destination.bucket}`),
        element('Format', format === 'csv' ? 'CSV' : 'Parquet'),
        element('Prefix', destination.prefix === '' ? undefined : destination.prefix.replace(/\/$/, '')),
      ),
    ),
    prefix === '' ? element('Filter') : element('Filter', element('Prefix', prefix)),
    element('IncludedObjectVersions', versions === 'all' ? 'All' : 'Current'),
    fields.length === 0
      ? element('OptionalFields')
      : element('OptionalFields', ...fields.map(([field]) => element('Field', field))),
    element('Schedule', element('Frequency', schedule === 'weekly' ? 'Weekly' : 'Daily')),
  ]
}
