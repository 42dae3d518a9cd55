import { randomInt } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { isKeyText } from '../../../contract/names.ts'
import { assertContentType, mediaTypesIn, typeOf } from '../../base/media-type.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/schema.ts'
import { fitted, splitKey } from '../../storage/objects/free-names.ts'
import { sumOfLink } from '../../storage/uploads/store.ts'
import type { UploadLimits } from './describe.ts'
import { gone, isOpen, type OpenLink, openLink, openRanges } from './open.ts'
import { passwordNeeded } from './password.ts'
import * as store from './store.ts'

/** Numbers tried in sequence; after them one random number of three digits, then of four, and so on. */
const IN_TURN = 10
const MOST_DIGITS = 12

const full = () => new ServiceError('limit_reached', 'This link has reached its limit of files.')
export const tooMuch = () => new ServiceError('too_large', 'This link does not accept that many more bytes.')

export const limitsOf = ({ limits }: Pick<store.ShareRow, 'limits'>): UploadLimits => JSON.parse(limits)

/**
 * The key and Content-Type of a file with this name, relative to the link's folder. Throws unless the link takes such a file.
 */
export function acceptFile(link: OpenLink, name: string, type: string | undefined, path: string) {
  const key = link.row.target + name
  // Nothing here resolves `..`, but names chosen by strangers may reach tools that do.
  const leadsOut = name.split(/[/\\]/).some((segment) => segment === '.' || segment === '..')
  if (!isKeyText(key, 1) || name.endsWith('/') || leadsOut)
    throw new ServiceError('invalid_request', 'The file name does not make a valid key.', {
      faults: [{ path, message: 'must be a file name without "." or ".." segments' }],
    })
  if (!isOpen(openRanges(link, 'write', key), key)) throw gone()
  const limits = limitsOf(link.row)
  assertContentType(type, 'header.content-type')
  const content_type = typeOf(type, key)
  assertType(limits, content_type)
  if (limits.max_files !== undefined && link.row.received_files >= limits.max_files) throw full()
  return { key, content_type }
}

function assertType({ content_types }: UploadLimits, contentType: string): void {
  if (!content_types) return
  const fits = mediaTypesIn(contentType).every((type) =>
    content_types.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one)),
  )
  if (!fits) throw new ServiceError('unsupported_media_type', `This link only accepts ${content_types.join(', ')}.`)
}

/**
 * Step: locks a link, and returns how many more bytes it takes besides those that arrive in requests and uploads in parts.
 * Throws limit_reached if these are all the files that it takes.
 */
export async function roomIn(
  { now }: Pick<Ctx, 'now'>,
  tx: Tx,
  id: string,
  arriving: () => Promise<{ uploads: number; bytes: number }>,
) {
  const row = await store.lockShare(tx, id)
  if (!row) throw gone()
  const limits = limitsOf(row)
  const [requests, parts] = [await arriving(), await sumOfLink(tx, id, now())]
  const files = row.received_files + requests.uploads + parts.active
  if (limits.max_files !== undefined && files >= limits.max_files) throw full()
  const bytes = (limits.max_total_bytes ?? Number.POSITIVE_INFINITY) - row.received_bytes - requests.bytes - parts.bytes
  return { row, requests, parts, bytes }
}

/** Step: counts a file that arrived through a link as it was then; throws unless the link still takes it. */
export async function countFile(
  ctx: Ctx,
  tx: Tx,
  row: store.ShareRow,
  { key, size }: { key: string; size: number },
): Promise<void> {
  const latest = await store.lockShare(tx, row.id)
  if (!latest) throw gone()
  const link = await openLink({ ...ctx, db: tx }, latest)
  if (!isOpen(openRanges(link, 'write', key), key)) throw gone()
  if (latest.password_hash !== row.password_hash) throw passwordNeeded("The link's password was changed.")
  const { max_files, max_total_bytes } = limitsOf(row)
  if (max_files !== undefined && latest.received_files >= max_files) throw full()
  if (max_total_bytes !== undefined && latest.received_bytes + size > max_total_bytes) throw tooMuch()
  await store.updateShare(tx, row.id, {
    received_files: latest.received_files + 1,
    received_bytes: latest.received_bytes + size,
  })
}

/**
 * `photo.jpg`, `photo (2).jpg`, `photo (3).jpg`… while they are valid keys. For a name sent over and over, random
 * numbers find a free name at the first or second try, instead of one lookup per earlier file.
 */
export function* freeNames(key: string): Generator<string> {
  yield key
  const { stem, ending } = splitKey(key)
  const numbers = Array.from({ length: IN_TURN - 1 }, (_, i) => i + 2)
  for (let digits = 3; digits <= MOST_DIGITS; digits++) numbers.push(randomInt(10 ** (digits - 1), 10 ** digits))
  for (const number of numbers) {
    const name = fitted(stem, ` (${number})${ending}`)
    if (name !== undefined) yield name
  }
}
