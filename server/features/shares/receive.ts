import { randomInt } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { byteLength, isKeyText } from '../../../contract/names.ts'
import type { Sender } from '../../../contract/shares.ts'
import { typeOf } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { tooMany } from '../../storage/incoming/arrival.ts'
import { startReceiving, type Upload } from '../../storage/objects/received.ts'
import { writeUnderFreeName } from '../../storage/objects/write.ts'
import { noteBucket } from '../../storage/traffic/traffic.ts'
import type { UploadLimits } from './describe.ts'
import { noteOpened } from './notice.ts'
import { findLink, gone, isOpen, noteAccess, openLink, openRanges, visitorOf } from './open.ts'
import { checkPassword, type Presented, passwordNeeded } from './password.ts'
import { sentBy } from './sender.ts'
import * as store from './store.ts'

/** Numbers tried in sequence; after them one random number of three digits, then of four, and so on. */
const IN_TURN = 10
const MOST_DIGITS = 12
const MOST_KEY_BYTES = 1024

/** A file that a visitor uploads through a link. */
export interface SharedFile {
  /** Relative to the link's folder. */
  name: string
  presented: Presented
  /** Its Content-Type. */
  type: string | undefined
  sender: Sender
  body: Pick<Upload, 'source' | 'announced'>
}

/** Stores a file that a visitor uploads through a link. Nothing is overwritten or revealed about the folder. */
export async function receiveThroughShare(
  ctx: Ctx,
  token: string,
  { name, presented, type, sender, body }: SharedFile,
) {
  const link = await findLink(ctx, token)
  const { row } = link
  noteBucket(ctx, row.bucket)
  if (row.kind !== 'upload') throw gone()
  await checkPassword(ctx, link, presented)
  const key = row.target + name
  // Nothing here resolves `..`, but names chosen by strangers may reach tools that do.
  const leadsOut = name.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
  if (!isKeyText(key, 1) || name.endsWith('/') || leadsOut)
    throw new ServiceError('invalid_request', 'The file name does not make a valid key.', {
      faults: [{ path: 'params.key', message: 'must be a file name without "." or ".." segments' }],
    })
  if (!isOpen(openRanges(link, 'write', key), key)) throw gone()
  const limits = JSON.parse(row.limits) as UploadLimits
  const content_type = typeOf(type, key)
  assertType(limits, content_type)
  const left = Math.max(0, (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - row.received_bytes)
  if (limits.max_files !== undefined && row.received_files >= limits.max_files) throw full()

  const visitor = visitorOf(ctx)
  const { receive } = await startReceiving(visitor, row.bucket, {
    id: row.id,
    async room(tx, others) {
      const latest = await store.lockShare(tx, row.id)
      if (!latest) throw gone()
      const { uploads, bytes } = await others()
      if (limits.max_files !== undefined && latest.received_files + uploads >= limits.max_files) throw full()
      if (ctx.config.uploadsPerLink > 0 && uploads >= ctx.config.uploadsPerLink)
        throw tooMany(`This link accepts at most ${ctx.config.uploadsPerLink} uploads at once.`)
      return (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - latest.received_bytes - bytes
    },
  })
  const maxBytes = Math.min(limits.max_file_bytes ?? Number.POSITIVE_INFINITY, left)
  const received = await receive({
    key,
    content_type,
    metadata: {},
    source: body.source,
    announced: body.announced,
    maxBytes: Number.isFinite(maxBytes) ? maxBytes : undefined,
  })
  const { size } = received.blob
  const before = async (tx: Tx): Promise<void> => {
    const latest = await store.lockShare(tx, row.id)
    if (!latest) throw gone()
    const again = await openLink({ ...ctx, db: tx }, latest)
    if (!isOpen(openRanges(again, 'write', key), key)) throw gone()
    if (latest.password_hash !== row.password_hash) throw passwordNeeded("The link's password was changed.")
    if (limits.max_files !== undefined && latest.received_files >= limits.max_files) throw full()
    if (limits.max_total_bytes !== undefined && latest.received_bytes + size > limits.max_total_bytes)
      throw new ServiceError('too_large', 'This link does not accept that many more bytes.')
    await store.updateShare(tx, row.id, {
      received_files: latest.received_files + 1,
      received_bytes: latest.received_bytes + size,
    })
  }
  const terms = { names: freeNames(key), sent: sentBy(row.id, sender), before }
  const object = await writeUnderFreeName(visitor, row.bucket, received, terms)
  noteOpened(ctx, link)
  noteAccess(ctx, row, 'uploaded', { key: object.key, sender })
  return { name: object.key.slice(row.target.length), size }
}

const full = () => new ServiceError('limit_reached', 'This link has reached its limit of files.')

function assertType({ content_types }: UploadLimits, contentType: string): void {
  if (!content_types) return
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const fits = content_types.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one))
  if (!fits) throw new ServiceError('unsupported_media_type', `This link only accepts ${content_types.join(', ')}.`)
}

/**
 * `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`… while they are valid keys. For a name sent over and over, random
 * numbers find a free name at the first or second try, instead of one lookup per earlier file.
 */
function* freeNames(key: string): Generator<string> {
  yield key
  const [, stem = key, extension = ''] = /^(.*[^/])(\.[^./]*)$/s.exec(key) ?? []
  const numbers = Array.from({ length: IN_TURN - 1 }, (_, i) => i + 2)
  for (let digits = 3; digits <= MOST_DIGITS; digits++) numbers.push(randomInt(10 ** (digits - 1), 10 ** digits))
  for (const number of numbers) {
    const name = fitted(stem, ` (${number})${extension}`)
    if (name !== undefined) yield name
  }
}

/** `stem` with its last segment shortened as needed for a valid key; undefined if there is none. */
function fitted(stem: string, ending: string): string | undefined {
  const at = stem.lastIndexOf('/') + 1
  const letters = [...stem.slice(at)]
  let over = byteLength(stem + ending) - MOST_KEY_BYTES
  while (over > 0 && letters.length > 1) over -= byteLength(letters.pop() ?? '')
  const name = stem.slice(0, at) + letters.join('') + ending
  return isKeyText(name, 1) ? name : undefined
}
