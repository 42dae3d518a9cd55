import { ServiceError } from '../../../../../contract/errors.ts'
import { anyTime } from '../../../../base/dates.ts'
import { allowSomewhere, type Ctx } from '../../../../context.ts'
import { readEntityTags } from '../../../../http/conditions.ts'
import { reachOf } from '../../../../iam/decide.ts'
import { DELETE_VERSION } from '../../../../iam/names-of-rights.ts'
import { deleteObject as removeObject } from '../../../../storage/objects/service.ts'
import type { RemovalConditions } from '../../../../storage/objects/write.ts'
import { type Deletion, deleteManyVersions, deleteVersion } from '../../../../storage/versions/delete.ts'
import { answer, answerXml } from '../../answers/answer.ts'
import { element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { type Exchange, header, parameter } from '../../requests/exchange.ts'
import { withPublicAccess } from '../../requests/public-access.ts'
import {
  childFlag,
  childText,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
  type XmlNode,
} from '../../requests/read-xml.ts'
import { versionIn, versionOf } from '../../requests/version-id.ts'
import { bypassIn } from '../locks.ts'

const MOST_DELETES = 1000
const MOST_DELETE_BYTES = 2 * 1024 * 1024
export const DELETIONS: DocumentShape = {
  root: 'Delete',
  most: MOST_DELETE_BYTES,
  elements: {
    Quiet: 'text',
    Object: many(MOST_DELETES, {
      Key: 'text',
      VersionId: 'text',
      ETag: 'text',
      LastModifiedTime: 'text',
      Size: 'text',
    }),
  },
}

/** Conditions as they are written; `names` is what each is called there. Throws InvalidArgument. */
function conditionsOf(
  { etag, time, size }: { [name in 'etag' | 'time' | 'size']: string | undefined },
  names: { time: string; size: string },
): RemovalConditions {
  const lastModified = time === undefined ? undefined : anyTime(time)
  if (time !== undefined && !lastModified)
    throw invalidArgument(names.time, time ?? '', 'The time of the last change is not a date')
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    throw invalidArgument(names.size, size, 'The size is not a number of bytes')
  return { ifMatch: readEntityTags(etag), lastModified, size: size === undefined ? undefined : Number(size) }
}

/**
 * `DeleteObject`: succeeds too where there is nothing to delete, whatever the conditions are. Behind a delete marker only
 * `If-Match: *` does; with any condition, nothing is marked there.
 */
export async function deleteObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request } = exchange
  const [version_id, bypass] = [versionIn(exchange), bypassIn(exchange)]
  const names = { time: 'x-amz-if-match-last-modified-time', size: 'x-amz-if-match-size' }
  const conditions = conditionsOf(
    { etag: request.headers['if-match'], time: header(exchange, names.time), size: header(exchange, names.size) },
    names,
  )
  const nothing = (error: unknown) => {
    if (!(error instanceof ServiceError && (error.missing === 'object' || error.missing === 'version'))) throw error
    return undefined
  }
  if (version_id === undefined) {
    const deletion = { permanent: false, absent: 'mark', ...conditions } as const
    const marker = (await removeObject(ctx, bucket, key, deletion).catch(nothing))?.marker
    return answer(exchange, 204, marker === undefined ? {} : { ...MARKED, 'x-amz-version-id': marker })
  }
  const version = { key, version_id, conditions: [conditions] }
  const removed = await deleteVersion(ctx, bucket, version, { permanent: false, bypass }).catch(nothing)
  await answer(exchange, 204, {
    'x-amz-version-id': parameter(exchange, 'versionId'),
    ...(removed?.marker ? MARKED : {}),
  })
}
const MARKED = { 'x-amz-delete-marker': 'true' }

/** What an `<Object>` asks to delete; `version` is how it names a version, `refused` why that can be none. */
type Named = Deletion & { version: string | undefined; refused?: S3Error | undefined }

/** The version that an `<Object>` names, or why it can be none: the others are deleted all the same. */
function versionNamed(name: string | undefined): Pick<Named, 'version_id' | 'refused'> {
  try {
    return { version_id: versionOf(name) }
  } catch (error) {
    if (error instanceof S3Error) return { refused: error }
    throw error
  }
}

/** The key and version that an `<Object>` of the document names, and its conditions. Throws MalformedXML, or InvalidArgument. */
function namedIn(object: XmlNode): Named {
  const key = childText(object, 'Key')
  if (key === undefined || key === '') throw malformedXml()
  const version = childText(object, 'VersionId')
  const names = { time: 'LastModifiedTime', size: 'Size' }
  const written = {
    etag: childText(object, 'ETag'),
    time: childText(object, names.time)?.trim(),
    size: childText(object, names.size)?.trim(),
  }
  return { key, version, ...versionNamed(version), conditions: [conditionsOf(written, names)] }
}

/** How a key's error is called in the answer. */
const CODES: { readonly [code: string]: string } = {
  forbidden: 'AccessDenied',
  locked: 'AccessDenied',
  precondition_failed: 'PreconditionFailed',
}

/** Of the caller, with what anyone may do with all that is named: versions may be named in the document alone. */
async function ctxFor(exchange: Exchange, named: readonly Named[]): Promise<Ctx> {
  const { ctx, bucket, system, authenticated } = exchange
  if (!authenticated.publicAccess || named.every(({ version }) => version === undefined)) return ctx
  const about = named.every(({ version }) => version !== undefined) ? (['versions'] as const) : BOTH
  return ctx.as(await withPublicAccess(system, authenticated, { buckets: new Map([[bucket, about]]), rights: true }))
}
const BOTH = ['current', 'versions'] as const

/** Throws forbidden for whoever may delete nothing in the bucket: neither objects nor versions. */
export async function assertMayDelete({ ctx, bucket, system, authenticated }: Exchange): Promise<void> {
  if (reachOf(ctx.actor, 'delete', bucket, '').length > 0) return
  if (reachOf(ctx.actor, DELETE_VERSION, bucket, '').length > 0) return
  const buckets = new Map([[bucket, ['versions'] as const]])
  allowSomewhere(await withPublicAccess(system, authenticated, { buckets, rights: true }), 'delete', bucket)
}

/** `DeleteObjects`: up to 1,000 keys, with a result for each in the order of the request. */
export async function deleteObjects(exchange: Exchange): Promise<void> {
  const { bucket } = exchange
  const document = await readDocument(exchange, DELETIONS)
  const named = document.children.filter(({ name }) => name === 'Object').map(namedIn)
  if (named.length === 0 || named.length > MOST_DELETES) throw malformedXml()
  const quiet = childFlag(document, 'Quiet')
  const asked = named.filter(({ refused }) => refused === undefined)
  const { markers, removed, errors } = await deleteManyVersions(await ctxFor(exchange, named), bucket, asked, {
    bypass: bypassIn(exchange),
  })
  const nameOf = ({ key, version_id }: { key: string; version_id?: string | null | undefined }) =>
    JSON.stringify([key, version_id === undefined ? [] : version_id])
  const failed = new Map(errors.map((error) => [nameOf(error), error]))
  const removedMarkers = new Set(removed.filter(({ marker }) => marker).map(nameOf))
  await answerXml(
    exchange,
    result(
      'DeleteResult',
      ...named.map((one) => {
        const { key, version, refused } = one
        const named = [element('Key', key), element('VersionId', version)]
        const errorElement = (code: string, message: string) =>
          element('Error', ...named, element('Code', code), element('Message', message))
        if (refused) return errorElement(refused.code, refused.message)
        const error = failed.get(nameOf(one))
        if (error) return errorElement(CODES[error.code] ?? 'InternalError', error.detail)
        if (quiet) return undefined
        const marker = version === undefined ? markers.get(key) : removedMarkers.has(nameOf(one)) ? version : undefined
        return element(
          'Deleted',
          ...named,
          marker === undefined ? undefined : element('DeleteMarker', true),
          element('DeleteMarkerVersionId', marker),
        )
      }),
    ),
  )
}
