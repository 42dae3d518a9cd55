import type { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import type { Described, ExternalWriter } from '../external.ts'
import { divided, gatherExactly, sendExactly } from './bytes.ts'
import { ask, connect, type S3Options } from './client.ts'
import { partSizes, s3Uploads } from './uploads.ts'

/** Objects and parts up to this size are sent from a buffer, so that the SDK can retry. */
const SENT_AGAIN = 256 * 1024
/** Larger objects are sent in parts. */
const MOST_AT_ONCE = 1024 ** 3

/** Writes objects under keys of their own into a bucket of an S3 engine; the prefix of `options` does not count. */
export function s3Writer(options: S3Options): ExternalWriter {
  const { bucket: Bucket, limits } = options
  const client = connect(options)
  const uploads = s3Uploads(client, Bucket)
  const most = limits?.single ?? MOST_AT_ONCE
  return {
    async put(Key, source, { size, ...described }, options = {}) {
      const { mayFinish = async () => undefined, signal, md5 = null, encrypt = false } = options
      const fields = { ...fieldsOf(described), ...(encrypt && { ServerSideEncryption: 'AES256' as const }) }
      const aborted = (own?: AbortSignal) => AbortSignal.any([own, signal].filter((one) => one !== undefined))
      const ContentMD5 = md5 === null ? undefined : Buffer.from(md5, 'hex').toString('base64')
      const send = (Body: Readable | Buffer, own?: AbortSignal) => {
        const command = new s3.PutObjectCommand({ Bucket, Key, ...fields, Body, ContentLength: size, ContentMD5 })
        return ask('PutObject', client.send(command, { abortSignal: aborted(own) }))
      }
      if (size <= SENT_AGAIN) {
        const body = await gatherExactly(source, size)
        await mayFinish()
        await send(body)
      } else if (size <= most) await sendExactly(source, size, mayFinish, send)
      else
        await uploads.whole(
          Key,
          mayFinish,
          async (putPart) => {
            for await (const part of divided(source, partSizes(size, most))) {
              const start = putPart(part.size)
              await sendExactly(
                part.bytes,
                part.size,
                async () => undefined,
                (body, own) => start(body, aborted(own)),
              )
            }
          },
          fields,
        )
    },
    async remove(Key) {
      await ask('DeleteObject', client.send(new s3.DeleteObjectCommand({ Bucket, Key })))
    },
    close: () => client.destroy(),
  }
}

function fieldsOf({ content_type, headers, metadata, tags }: Omit<Described, 'size'>) {
  const expires = headers.expires === undefined ? Number.NaN : Date.parse(headers.expires)
  const tagging = new URLSearchParams(tags).toString()
  return {
    ContentType: content_type,
    CacheControl: headers['cache-control'],
    ContentDisposition: sendable(headers['content-disposition']),
    ContentEncoding: headers['content-encoding'],
    ContentLanguage: headers['content-language'],
    WebsiteRedirectLocation: headers['x-amz-website-redirect-location'],
    ...(Number.isNaN(expires) ? {} : { Expires: new Date(expires) }),
    Metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, sendable(value)])),
    ...(tagging === '' ? {} : { Tagging: tagging }),
  }
}

/** A value as S3 sends it in a header: what is not ASCII as an encoded word of RFC 2047. */
function sendable(value: string): string
function sendable(value: string | undefined): string | undefined
function sendable(value: string | undefined): string | undefined {
  if (value === undefined || /^[ -~]*$/.test(value)) return value
  return `=?UTF-8?B?${Buffer.from(value).toString('base64')}?=`
}
