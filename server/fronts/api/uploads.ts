import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { isKeyText } from '../../../contract/names.ts'
import type { StoredObject } from '../../../contract/objects.ts'
import { malformedHeader } from '../../base/invalid.ts'
import { DEFAULT_TYPE, typeOf } from '../../base/media-type.ts'
import { allow, allowSomewhere, type Ctx } from '../../context.ts'
import { chunksOf, expectBody } from '../../http/body.ts'
import { checksumOf } from '../../http/checksum.ts'
import { readEntityTags } from '../../http/conditions.ts'
import { contentMd5 } from '../../http/content-md5.ts'
import { isBrokenOff } from '../../http/failure.ts'
import { discard, type Received, startReceiving, type Upload } from '../../storage/objects/receive.ts'
import { write, writeAll } from '../../storage/objects/write.ts'
import { descriptionOf } from '../description.ts'
import { encryptionAsked } from './encryption.ts'
import type { Raw } from './handle.ts'

/** Stores a PUT's body under one key, at most `maxBytes`; 201 for a new key, 200 for a replaced object. */
export async function receivePut(
  ctx: Ctx,
  { bucket, key, maxBytes }: { bucket: string; key: string; maxBytes?: number | undefined },
  raw: Raw,
): Promise<StoredObject> {
  const { headers } = raw.request
  const { object, created } = await write(
    ctx,
    bucket,
    {
      ...bodyOf(raw),
      checksum: checksumOf(headers),
      encryption: encryptionAsked(headers),
      key,
      ...descriptionOf(headers, key, { metadata: 'x-meta-', tags: 'x-tags' }),
      maxBytes,
    },
    { ifNoneMatch: readEntityTags(headers['if-none-match']), ifMatch: readEntityTags(headers['if-match']) },
  )
  raw.reply.code(created ? 201 : 200).header('etag', `"${object.etag}"`)
  return object
}

/**
 * A request's body as the source of an upload; sends `100 Continue`, if the client waits for it, when it is opened.
 * It throws `malformed` for a piece of a body (RFC 9110 section 14.5): stored as a whole, it would replace the rest.
 */
export function bodyOf({ request, reply }: Raw): Pick<Upload, 'source' | 'announced' | 'md5'> {
  const { headers, raw } = request
  return {
    source() {
      if (headers['content-range'] !== undefined) throw malformedHeader('content-range', 'is not supported')
      expectBody(raw, reply.raw)
      return chunksOf(raw)
    },
    announced: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    get md5() {
      return contentMd5(headers['content-md5'])
    },
  }
}

/** Stores every file part of a form as `prefix` + its file name, all or none. */
export async function receiveForm(
  ctx: Ctx,
  bucket: string,
  prefix: string,
  { request, reply }: Raw,
): Promise<{ items: StoredObject[] }> {
  if (!request.isMultipart()) throw new ServiceError('unsupported_media_type', 'Send the files as multipart/form-data.')
  // A permission somewhere below the prefix is enough to start; each key is checked before its bytes are accepted.
  allowSomewhere(ctx.actor, 'write', bucket, prefix)
  const encryption = encryptionAsked(request.headers)
  const { receive, end } = await startReceiving(ctx, bucket)
  expectBody(request.raw, reply.raw)
  const received: Received[] = []
  try {
    for await (const part of request.files()) {
      const path = `body.${part.fieldname}`
      const key = prefix + asSent(part.filename)
      if (!part.filename || !isKeyText(key, 1))
        throw new ServiceError('invalid_request', `${path}: prefix and file name do not form a valid key.`, {
          faults: [{ path, message: 'prefix + file name must be 1–1024 bytes of UTF-8 without NUL' }],
        })
      allow(ctx.actor, 'write', bucket, key)
      const one = await receive({
        key,
        content_type: typeOf(partType(part.mimetype), key),
        metadata: {},
        encryption,
        source: () => part.file,
      })
      received.push(one)
    }
    if (received.length === 0)
      throw new ServiceError('invalid_request', 'The form contains no file part.', {
        faults: [{ path: 'body.file', message: 'is required: a part with a file name' }],
      })
  } catch (error) {
    await discard(ctx, received)
    await end()
    throw asProblem(error, request)
  }
  const placed = await writeAll(ctx, bucket, received)
  return { items: placed.map(({ object }) => object) }
}

/** The form parser's default type for parts without one. */
const partType = (type: string | undefined): string | undefined => (type === DEFAULT_TYPE ? undefined : type)

/** How browsers and curl encode `"`, CR and LF in file names (WHATWG HTML, multipart/form-data). */
const asSent = (filename: string): string =>
  filename.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')

/** Errors in the form itself are the client's. */
function asProblem(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code.startsWith('FST_') && /LIMIT/.test(code)) return new ServiceError('too_large', error.message)
  if (code === 'FST_PROTO_VIOLATION') return new ServiceError('malformed', error.message, { cause: error })
  if (/Unexpected end of|Malformed|multipart|Part terminated/i.test(error.message) || isBrokenOff(error, request.raw))
    return new ServiceError('malformed', 'The form is incomplete or malformed.', { cause: error })
  return error
}
