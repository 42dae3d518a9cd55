import { ServiceError } from '../../../contract/errors.ts'
import { readEntityTags } from '../../http/conditions.ts'
import { deleteMany } from '../../storage/objects/bulk.ts'
import { deleteObject as removeObject } from '../../storage/objects/service.ts'
import type { RemovalConditions } from '../../storage/objects/write.ts'
import { invalidArgument } from './errors.ts'
import { answer, answerXml, type Exchange, header, parameter } from './exchange.ts'
import { childText, malformedXml, readXml, type XmlNode } from './read-xml.ts'
import { verified } from './verified.ts'
import { assertOnlyVersion } from './version.ts'
import { element, result } from './xml.ts'

const MOST_DELETES = 1000
const MOST_DELETE_BYTES = 2 * 1024 * 1024

/** Conditions as they are written; `names` is what each is called there. Throws InvalidArgument. */
function conditionsOf(
  { etag, time, size }: { [name in 'etag' | 'time' | 'size']: string | undefined },
  names: { time: string; size: string },
): RemovalConditions {
  const lastModified = time === undefined ? undefined : new Date(time)
  if (lastModified && Number.isNaN(lastModified.getTime()))
    throw invalidArgument(names.time, time ?? '', 'The time of the last change is not a date')
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    throw invalidArgument(names.size, size, 'The size is not a number of bytes')
  return { ifMatch: readEntityTags(etag), lastModified, size: size === undefined ? undefined : Number(size) }
}

/** `DeleteObject`: succeeds too where there is nothing to delete, whatever the conditions are. */
export async function deleteObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key, request } = exchange
  assertOnlyVersion(parameter(exchange, 'versionId'))
  const names = { time: 'x-amz-if-match-last-modified-time', size: 'x-amz-if-match-size' }
  const conditions = conditionsOf(
    { etag: request.headers['if-match'], time: header(exchange, names.time), size: header(exchange, names.size) },
    names,
  )
  await removeObject(ctx, bucket, key, { permanent: false, ...conditions }).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.missing === 'object')) throw error
  })
  await answer(exchange, 204, {})
}

/** The key that an `<Object>` of the document names, and its conditions. Throws MalformedXML, or InvalidArgument. */
function namedIn(object: XmlNode): { key: string; conditions: RemovalConditions } {
  const key = childText(object, 'Key')
  if (key === undefined || key === '') throw malformedXml()
  assertOnlyVersion(childText(object, 'VersionId'))
  const names = { time: 'LastModifiedTime', size: 'Size' }
  const written = {
    etag: childText(object, 'ETag'),
    time: childText(object, names.time)?.trim(),
    size: childText(object, names.size)?.trim(),
  }
  return { key, conditions: conditionsOf(written, names) }
}

/** How a key's error is called in the answer. */
const CODES: { readonly [code: string]: string } = {
  forbidden: 'AccessDenied',
  precondition_failed: 'PreconditionFailed',
}

/** `DeleteObjects`: up to 1,000 keys, with a result for each in the order of the request. */
export async function deleteObjects(exchange: Exchange): Promise<void> {
  const { ctx, bucket } = exchange
  const document = await readXml(verified(exchange), 'Delete', MOST_DELETE_BYTES)
  const named = document.children.filter(({ name }) => name === 'Object').map(namedIn)
  if (named.length === 0 || named.length > MOST_DELETES) throw malformedXml()
  const quiet = childText(document, 'Quiet')?.trim().toLowerCase() === 'true'
  const byKey = Map.groupBy(named, ({ key }) => key)
  const conditions = new Map([...byKey].map(([key, those]) => [key, those.map((one) => one.conditions)]))
  const { errors } = await deleteMany(ctx, bucket, [...conditions.keys()], conditions)
  const failed = new Map(errors.filter(({ code }) => code !== 'not_found').map((error) => [error.key, error]))
  await answerXml(
    exchange,
    result(
      'DeleteResult',
      ...named.map(({ key }) => {
        const error = failed.get(key)
        if (!error) return quiet ? undefined : element('Deleted', element('Key', key))
        const code = CODES[error.code] ?? 'InternalError'
        return element('Error', element('Key', key), element('Code', code), element('Message', error.detail))
      }),
    ),
  )
}
