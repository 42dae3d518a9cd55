import { checksumAlgorithms, type Tags } from '../../../../../contract/shapes.ts'
import { allowSomewhere } from '../../../../context.ts'
import { write } from '../../../../storage/objects/write.ts'
import { answer } from '../../answers/answer.ts'
import { checksumHeaders } from '../../answers/checksums.ts'
import { writtenHeader } from '../../answers/version-headers.ts'
import { bareDocument } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { claimedMd5, namedChecksums, objectChecksum } from '../../requests/checksums.ts'
import { encryptionIn, writtenEncryption } from '../../requests/encryption.ts'
import { type Exchange, header, headersWith } from '../../requests/exchange.ts'
import type { PostForm } from '../../requests/form.ts'
import { readXml } from '../../requests/read-xml.ts'
import { checkPolicy, type FormTerms } from '../../requests/signature/post-policy.ts'
import { assertKey } from '../../requests/target.ts'
import { newObjectAcl } from '../documents/acl.ts'
import { expirationIn, lifecycleSubject } from '../documents/lifecycle-headers.ts'
import { TAGGING, tagsOf } from '../documents/tagging.ts'
import { locationOf } from '../location.ts'
import { lockIn } from '../locks.ts'
import { describedBy, MOST_BYTES, refuseUnsupported, storageClassOf, tooLarge } from './put-object.ts'

/** Without a credential there is no policy. */
const NO_TERMS: FormTerms = { least: 0, most: Number.POSITIVE_INFINITY }

/** `PostObject`: an upload by an HTML form, within its policy. */
export async function postObject(exchange: Exchange): Promise<void> {
  const { ctx, bucket, system } = exchange
  const form = exchange.form as PostForm
  allowSomewhere(ctx.actor, 'write', bucket)
  const { fields } = form
  const key = fields.get('key')
  if (!key)
    throw invalidArgument(
      'key',
      '',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    )
  const terms =
    exchange.authenticated.accessKeyId === undefined
      ? NO_TERMS
      : checkPolicy(fields.get('policy') ?? '', new Map([...fields, ['bucket', bucket]]), system.now())
  assertKey(key)
  refuseUnsupported(exchange)
  assertChecksums(exchange)
  const described = describedBy(exchange, key)
  const tags = fields.get('tagging')
  const encryption = await encryptionIn(exchange)
  const { object, lifecycle } = await write(
    ctx,
    bucket,
    {
      key,
      source: () => measured(form, terms),
      md5: claimedMd5(exchange),
      checksum: objectChecksum(exchange, new Map()),
      maxBytes: MOST_BYTES,
      storageClass: storageClassOf(exchange),
      acl: await newObjectAcl({ ...exchange, key }),
      lock: lockIn({ ...exchange, key }),
      encryption,
      ...described,
      ...(tags === undefined ? {} : { tags: await tagsIn(tags) }),
    },
    {},
  )
  const headers = {
    etag: `"${object.etag}"`,
    ...writtenHeader(object),
    ...writtenEncryption(object, encryption),
    'x-amz-expiration': expirationIn(lifecycle, lifecycleSubject(object)),
    ...checksumHeaders(namedChecksums(object.checksums)),
  }
  const redirect = redirectOf(exchange, { bucket, key, etag: headers.etag })
  if (redirect) return answer(exchange, 303, { ...headers, location: redirect })
  const location = locationOf({ ...exchange, key })
  const status = header(exchange, 'success_action_status')
  if (status === '201')
    return answer(
      exchange,
      201,
      { ...headers, location, 'content-type': 'application/xml' },
      bareDocument('PostResponse', { Location: location, Bucket: bucket, Key: key, ETag: headers.etag }),
    )
  return answer(exchange, status === '200' ? 200 : 204, { ...headers, location })
}

/** The file's bytes, within the policy's limits. */
async function* measured({ file }: PostForm, { least, most }: FormTerms): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of file as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > most) throw tooLarge(size, most)
    yield chunk
  }
  if (size < least)
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
      fields: { ProposedSize: String(size), MinSizeAllowed: String(least) },
    })
}

/** Tags as a form has them: a `<Tagging>` document. */
async function tagsIn(text: string): Promise<Tags> {
  async function* body() {
    yield Buffer.from(text)
  }
  return tagsOf(await readXml(body(), TAGGING))
}

/** Throws InvalidRequest for a checksum that is announced and absent, or that is of no known kind. */
function assertChecksums(exchange: Exchange): void {
  const announced = header(exchange, 'x-amz-checksum-algorithm')?.toLowerCase()
  if (announced !== undefined && header(exchange, `x-amz-checksum-${announced}`) === undefined)
    throw new S3Error(
      'InvalidRequest',
      'x-amz-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  const unknown = headersWith(exchange, 'x-amz-checksum-').find(([name]) => !CHECKSUM_FIELDS.has(name))
  if (unknown) throw new S3Error('InvalidRequest', `Value for x-amz-checksum-${unknown[0]} header is invalid.`)
}
const CHECKSUM_FIELDS = new Set(['algorithm', 'type', ...checksumAlgorithms])

/**
 * Where `success_action_redirect` sends the browser, told what was stored, after the query that it has already; undefined
 * without one that is a URL, which S3 then takes for absent.
 */
function redirectOf(exchange: Exchange, stored: { bucket: string; key: string; etag: string }): string | undefined {
  const text = header(exchange, 'success_action_redirect') ?? header(exchange, 'redirect')
  if (text === undefined || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const told = new URLSearchParams(stored).toString()
  url.search = url.search === '' ? told : `${url.search}&${told}`
  return url.href
}
