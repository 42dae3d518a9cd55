import type { SharedUpload } from '../../../../contract/shares.ts'
import { ask, contentsUrl, Refused } from '../api.ts'
import { put } from './put.ts'
import { type Sender, senderOf } from './sender.ts'
import { findUnfinished, forget, listUnfinished, remember } from './unfinished.ts'

/** A file of more bytes is sent in parts, so that a broken connection costs no more than the parts under way. */
export const PART_BYTES = 8 * 1024 ** 2
/** Of all files together: a browser has six connections to a server, and the page needs one. */
const AT_ONCE = 3
const STALLED_MS = 60_000
const MOST_WAIT_MS = 30_000
/** How often an upload is taken up again that the server has lost, all or in part. */
const MOST_ROUNDS = 4

/** The file was changed or moved since it was chosen. */
export class Unreadable extends Error {}

interface Options {
  signal: AbortSignal
  onSent: (bytes: number) => void
  /** Whether it waits for the connection. */
  onWaiting: (waits: boolean) => void
}

/** Until the server has ended what was discarded. */
let discarded: Promise<unknown> = Promise.resolve()

const json = { 'content-type': 'application/json' }
const pathOf = (upload: string) => `/api/v1/public/uploads/${upload}`

/**
 * Sends a file in parts, continuing an upload of it that was begun before, also before a reload. Tries again for as long as
 * the connection or the server fails; rejects with `Refused`, or `Unreadable`.
 */
export async function sendInParts(file: File, who: Sender, options: Options): Promise<void> {
  for (let tries = 0; ; tries++) {
    const attempt = randomText()
    const upload = await persist(file, options, () => open(file, { who, attempt }, options.signal))
    try {
      await sendMissing(file, upload, options)
      await persist(file, options, () =>
        ask(`${pathOf(upload.upload)}/complete`, { method: 'POST', signal: options.signal }),
      )
      return forget(upload.upload)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      // It expired meanwhile, or some parts were lost: what there is now says how to go on.
      if (error.status === 404) forget(upload.upload)
      else if (error.code !== 'conflict') throw error
      if (tries >= MOST_ROUNDS) throw error
      await pause(1000 * 2 ** tries, options.signal)
    }
  }
}

const randomText = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/**
 * The upload that was begun for a file, as it is now, or a new one; one only for each `attempt`, also if its answer was lost.
 */
async function open(
  file: File,
  { who, attempt }: { who: Sender; attempt: string },
  signal: AbortSignal,
): Promise<SharedUpload> {
  const known = findUnfinished(file)
  if (known)
    try {
      return (await (await ask(pathOf(known.upload), { signal })).json()) as SharedUpload
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error
      forget(known.upload)
    }
  // The link may have no place for both.
  await discarded
  const { name, size, type, lastModified: changed } = file
  const body = JSON.stringify({ name, size, ...(type && { content_type: type }), sender: senderOf(who), attempt })
  const url = `/api/v1${contentsUrl({}, '/uploads')}`
  const begun = (await (await ask(url, { method: 'POST', headers: json, body, signal })).json()) as SharedUpload
  remember({ upload: begun.upload, name, size, changed })
  return begun
}

async function sendMissing(file: File, upload: SharedUpload, options: Options): Promise<void> {
  const { part_size, num_parts } = upload
  const arrived = new Set(upload.parts)
  const underWay = new Map<number, number>()
  const sizeOf = (number: number) => Math.min(part_size, file.size - (number - 1) * part_size)
  const show = () => {
    const whole = [...arrived].reduce((sum, number) => sum + sizeOf(number), 0)
    options.onSent([...underWay.values()].reduce((sum, bytes) => sum + bytes, whole))
  }
  show()
  const missing = Array.from({ length: num_parts }, (_, i) => i + 1).filter((number) => !arrived.has(number))
  // One that is refused ends the others, as the visitor does.
  const ended = new AbortController()
  const end = () => ended.abort()
  options.signal.addEventListener('abort', end)
  const { signal } = ended
  const send = async (number: number) => {
    const start = (number - 1) * part_size
    const part = file.slice(start, start + part_size)
    await persist(file, { ...options, signal }, () =>
      inTurn(signal, () => {
        const onSent = (bytes: number) => {
          underWay.set(number, Math.min(bytes, part.size))
          show()
        }
        const url = `${pathOf(upload.upload)}/parts/${number}`
        return put(url, part, { signal, onSent, stalledAfter: STALLED_MS }).finally(() => underWay.delete(number))
      }),
    )
    arrived.add(number)
    show()
  }
  const work = async () => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) await send(number)
  }
  try {
    if (options.signal.aborted) throw new Refused(0)
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    end()
    options.signal.removeEventListener('abort', end)
  }
}

let busy = 0
const turns = new EventTarget()
/** Runs no more of these at once than there are connections for. */
async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  while (busy >= AT_ONCE && !signal.aborted)
    await new Promise<void>((go) => {
      turns.addEventListener('free', () => go(), { once: true })
      signal.addEventListener('abort', () => go(), { once: true })
    })
  if (signal.aborted) throw new Refused(0)
  busy++
  try {
    return await work()
  } finally {
    busy--
    turns.dispatchEvent(new Event('free'))
  }
}

/** Repeats what fails without an answer, or with one that another time may differ, until it is ended. */
async function persist<T>(file: File, { signal, onWaiting }: Options, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      const result = await work()
      if (tries > 0) onWaiting(false)
      return result
    } catch (error) {
      const mayPass = error instanceof Refused && (error.status === 0 || error.status === 429 || error.status >= 500)
      if (!mayPass || signal.aborted) throw error
      await assertReadable(file)
      onWaiting(true)
      await pause(Math.min(MOST_WAIT_MS, 1000 * 2 ** tries), signal)
    }
}

/** A request fails the same way where the file cannot be read as where the connection breaks. */
const assertReadable = (file: File): Promise<unknown> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new Unreadable()
    })

/** Waits; shorter if the browser finds the network again, or `signal` ends it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((go) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      go()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal.addEventListener('abort', end)
  })
}

/** Forgets the uploads that ended at the server meanwhile. */
export async function review(): Promise<void> {
  for (const { upload } of listUnfinished())
    await ask(pathOf(upload)).catch((error: unknown) => {
      if (error instanceof Refused && (error.status === 404 || error.status === 410)) forget(upload)
    })
}

/** Ends an upload for good, here and, as far as it can be reached, at the server. */
export function discard(upload: string): void {
  forget(upload)
  const ended = ask(pathOf(upload), { method: 'DELETE' }).catch(() => undefined)
  discarded = Promise.all([discarded, ended])
}
/** The same for the upload of a file. */
export function discardOf(file: File): void {
  const known = findUnfinished(file)
  if (known) discard(known.upload)
}
