import type { KeyObject } from 'node:crypto'
import type { Ctx } from '../../../../context.ts'
import { encryptionText, kindOf, type WantedEncryption } from '../../../../encryption/sealing.ts'
import { evaluateConditions } from '../../../../http/conditions.ts'
import { encryptionFor } from '../../../../storage/buckets/encryption.ts'
import { findBucket } from '../../../../storage/buckets/store.ts'
import { inPast } from '../../../../storage/history/former/past.ts'
import { versionName } from '../../../../storage/history/retire.ts'
import { describedAs, REDIRECT_LOCATION, withRedirect } from '../../../../storage/objects/describe.ts'
import type { Found } from '../../../../storage/objects/lookup.ts'
import type { ObjectRow } from '../../../../storage/objects/store.ts'
import { copyOne } from '../../../../storage/objects/transfers/bulk.ts'
import { type DescriptionChange, updateMetadata } from '../../../../storage/objects/update.ts'
import { type AnswerHeaders, answerXml } from '../../answers/answer.ts'
import { checksumElements } from '../../answers/checksums.ts'
import { writtenHeader } from '../../answers/version-headers.ts'
import { element, result, xmlTime } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { algorithmIn, namedChecksums } from '../../requests/checksums.ts'
import { encryptionIn, sourceKeyIn, writtenEncryption } from '../../requests/encryption.ts'
import { type Exchange, header } from '../../requests/exchange.ts'
import { pastBucketNamed } from '../../requests/past-bucket.ts'
import { readSource } from '../../requests/public-access.ts'
import type { Target } from '../../requests/target.ts'
import { versionOf } from '../../requests/version-id.ts'
import { newObjectAcl } from '../documents/acl.ts'
import { currentExpiration } from '../documents/lifecycle-headers.ts'
import { getVisible, hideSourceExistence } from '../existence.ts'
import { lockIn } from '../locks.ts'
import { assertOwner } from '../owner.ts'
import { type CopiedChecksum, copiedChecksum } from './copied-checksum.ts'
import { describedBy, refuseUnsupported, storageClassOf, writeConditions } from './put-object.ts'

/** What is to be copied. */
interface Source extends Target {
  version: string | null | undefined
  /** The caller, who reads the bucket as it was if its name says so. */
  reader: Ctx
}

/**
 * The object that `x-amz-copy-source` names, percent-encoded and perhaps with a slash before its bucket, which may be one at
 * a moment.
 */
export async function sourceOf(exchange: Exchange): Promise<Source> {
  const given = header(exchange, 'x-amz-copy-source') ?? ''
  const source = readSource(given)
  const version = versionOf(source?.versionId)
  if (!source)
    throw invalidArgument(
      'x-amz-copy-source',
      given,
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    )
  await assertOwner(exchange, 'x-amz-source-expected-bucket-owner', source.bucket)
  const { ctx } = exchange
  const past = await pastBucketNamed(ctx.db, source.bucket)
  const reader = past ? await inPast(ctx, past.bucket, past.at) : ctx
  return { bucket: past?.bucket ?? source.bucket, key: source.key, version, reader }
}

/** The version that was copied, in a bucket that keeps them. */
export const sourceVersionHeader = ({ versioning, row }: Pick<Found, 'versioning' | 'row'>): AnswerHeaders => ({
  'x-amz-copy-source-version-id': versionName(versioning, row.version_id),
})

function replaces(exchange: Exchange, name: string): boolean {
  const value = header(exchange, name)
  if (value === undefined || value === 'COPY') return false
  if (value === 'REPLACE') return true
  throw invalidArgument(name, value, `Unknown ${name.replace('x-amz-', '').replace('-', ' ')}.`)
}

/** Throws PreconditionFailed unless the source is as the request wants it. */
export function assertSource(exchange: Exchange, { etag, last_modified }: ObjectRow): void {
  const headers = Object.fromEntries(
    ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'].map((name) => [
      name,
      header(exchange, `x-amz-copy-source-${name}`),
    ]),
  )
  if (evaluateConditions(headers, { etag, last_modified: new Date(last_modified) }) !== 200)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
}

/** `CopyObject`: rows only, whatever the size, unless the copy is to be encrypted otherwise. Onto itself it changes what describes the object. */
export async function copyObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  refuseUnsupported(exchange)
  const algorithm = algorithmIn(exchange, 'x-amz-checksum-algorithm')
  const source = await sourceOf(exchange)
  const [newMetadata, newTags] = [
    replaces(exchange, 'x-amz-metadata-directive'),
    replaces(exchange, 'x-amz-tagging-directive'),
  ]
  const storage_class = storageClassOf(exchange) ?? null
  const given = describedBy(exchange, key)
  const { content_type, headers = {}, metadata, tags = {} } = given
  // Of all that describes an object, S3 copies this with none: whoever wants it at the copy says so.
  const redirect = headers[REDIRECT_LOCATION]
  const lock = lockIn(exchange)
  const acl = await newObjectAcl(exchange)
  const wanted = await encryptionIn(exchange)
  const customerKey = sourceKeyIn(exchange)
  // From an earlier version, or with a lock of its own, it is a copy as any other.
  const itself =
    source.bucket === bucket &&
    source.key === key &&
    source.version === undefined &&
    source.reader.past === null &&
    lock === undefined &&
    wanted === undefined
  const changes = newMetadata || newTags || redirect !== undefined
  if (itself && !changes && header(exchange, 'x-amz-storage-class') === undefined)
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  const described = describedAs(given)
  const summed =
    algorithm &&
    (await copiedChecksum(
      exchange,
      { ...source, customerKey },
      { algorithm, admit: (row) => assertSource(exchange, row) },
    ))
  let copiedVersion: string | null = null
  const again = itself ? await encryptedAgain(exchange, customerKey) : wanted
  const copied =
    itself && again === undefined
      ? await describeAgain(
          exchange,
          {
            ...(newMetadata ? { content_type, headers, metadata } : {}),
            ...(newTags ? { tags } : {}),
            storage_class,
            redirect: redirect ?? null,
            acl,
          },
          summed,
        )
      : await copyOne(
          ctx,
          { ...source, moment: source.reader.past?.moment },
          { bucket, key },
          {
            admit(row) {
              assertSource(exchange, row)
              copiedVersion = row.version_id
              const { tags: replaced, ...metadataColumns } = described
              return {
                ...(newMetadata ? metadataColumns : { headers: withRedirect(row.headers, redirect) }),
                ...(newTags ? { tags: replaced } : {}),
                storage_class,
                acl,
                ...summed?.(row),
              }
            },
            conditions: writeConditions(exchange),
            lock,
            recoding: { wanted: again, customerKey },
          },
        ).catch((error: unknown) => {
          throw hideSourceExistence(ctx, source, error)
        })
  await answerXml(
    exchange,
    result(
      'CopyObjectResult',
      element('LastModified', xmlTime(copied.last_modified)),
      element('ETag', `"${copied.etag}"`),
      ...checksumElements(namedChecksums(copied.checksums)),
    ),
    {
      ...writtenHeader(copied),
      ...writtenEncryption(copied, wanted),
      'x-amz-copy-source-version-id': copiedVersion ?? (source.version === null ? 'null' : undefined),
      'x-amz-expiration': await currentExpiration(exchange, copied),
    },
  )
}

/**
 * How an object that is copied onto itself is encrypted otherwise than it is; undefined if it stays so, and only what describes it
 * changes. Needs `read`, as any copy.
 */
async function encryptedAgain(
  exchange: Exchange,
  customerKey: KeyObject | undefined,
): Promise<WantedEncryption | undefined> {
  const { encryption } = (await getVisible(exchange)).row
  const bucket = await findBucket(exchange.ctx.db, exchange.bucket)
  const wanted = bucket ? encryptionFor(bucket, undefined) : null
  // Without its key nobody copies it.
  if (kindOf(encryption) === 'SSE-C' || customerKey) return wanted
  return wanted === null || encryptionText(wanted) === encryption ? undefined : wanted
}

async function describeAgain(exchange: Exchange, change: DescriptionChange, summed: CopiedChecksum | undefined) {
  const { ctx, bucket, key } = exchange
  return updateMetadata(ctx, { bucket, key }, change, {
    ...writeConditions(exchange),
    admit(row) {
      assertSource(exchange, row)
      return summed?.(row)
    },
  })
}
