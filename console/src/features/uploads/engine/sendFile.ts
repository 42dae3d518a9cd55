import { ProblemError, urlOf } from '../../../../../contract/client.ts'
import { api } from '../../../../../contract/index.ts'
import { client } from '../../../api/session.ts'
import { fingerprint, md5Of } from './hash.ts'
import { type Item, type Multipart, partSizeFor } from './item.ts'
import { type Circumstances, persistently } from './retry.ts'
import { put } from './send.ts'
import type { Slots } from './slots.ts'

const PARTS_AT_ONCE = 3
/** How often an upload is begun anew that the server has given up. */
const FRESH_STARTS = 2

/** What sending a file needs of the engine. */
export interface Means {
  slots: Slots
  signal: AbortSignal
  reach: Circumstances['reach']
  /** Bytes that have arrived or are on their way. */
  sent(item: Item, bytes: number): void
  /** The state on the server has changed, and has to be found again after a reload. */
  save(item: Item): void
  /** All is sent; now it becomes an object. */
  completing(item: Item): void
}

/** The server does not know the upload any more. */
class UploadGone extends Error {}
/** The file that was shown is not the one whose parts have arrived. */
export class OtherFile extends Error {}

const statusOf = (error: unknown): number => (error instanceof ProblemError ? error.response.status : 0)

/** One request with the whole file. */
export async function sendSmall(item: Item, file: File, means: Means): Promise<void> {
  const { batch, key, overwrite } = item
  const url = urlOf('', api.putObjectByQuery, { params: { name: batch.bucket }, query: { key } })
  const headers: Record<string, string> = overwrite ? {} : { 'if-none-match': '*' }
  await persistently(circumstances(item, file, means), async () => {
    const free = await means.slots.take('small', means.signal)
    const progress = (bytes: number) => means.sent(item, bytes)
    try {
      await put({ url, body: file, headers, authorized: true, signal: means.signal, progress })
    } catch (error) {
      means.sent(item, 0)
      throw error
    } finally {
      free()
    }
  })
}

const circumstances = (item: Item, file: File, { signal, reach }: Means): Circumstances => ({
  ...{ signal, file, reach },
  lost: () => {
    item.uncertain = true
  },
})

/** Parts, several at a time; those that have arrived before are not sent again. */
export async function sendParts(item: Item, file: File, means: Means): Promise<void> {
  for (let start = 0; ; start++)
    try {
      const upload = await begin(item, file, means)
      await sendMissing(item, file, upload, means)
      await complete(item, file, upload, means)
      return
    } catch (error) {
      if (!(error instanceof UploadGone)) throw error
      item.upload = undefined
      means.sent(item, 0)
      if (start >= FRESH_STARTS) throw error
    }
}

const countOf = (file: File, { partSize }: Multipart): number => Math.max(1, Math.ceil(file.size / partSize))
const sizeOfPart = (file: File, { partSize }: Multipart, n: number): number =>
  Math.max(0, Math.min(partSize, file.size - (n - 1) * partSize))

/** The upload on the server: begun now, or as it was left. */
async function begin(item: Item, file: File, means: Means): Promise<Multipart> {
  const around = circumstances(item, file, means)
  if (item.upload) {
    if (!item.upload.known) await persistently(around, () => refresh(item, file, item.upload as Multipart))
    return item.upload
  }
  const { bucket } = item.batch
  item.fingerprint ??= await fingerprint(file)
  const begun = await persistently(around, () =>
    client.initUpload({
      params: { name: bucket },
      body: {
        key: item.key,
        file_size: file.size,
        part_size: partSizeFor(file.size),
        ...(file.type ? { content_type: file.type } : {}),
      },
    }),
  )
  item.upload = {
    ...{ id: begun.upload_id, partSize: begun.part_size, parts: new Map(), known: true },
    urls: new Map(begun.urls.map((url, i) => [i + 1, url])),
  }
  // Whoever gave the file up meanwhile could not name the upload.
  if (item.state === 'cancelled') await giveUp(item)
  else means.save(item)
  means.signal.throwIfAborted()
  return item.upload
}

/** What the server has of an upload, and URLs for what it has not, from one part on. */
async function ask(item: Item, file: File, upload: Multipart, from: number) {
  const found = await client
    .getUpload({ params: { name: item.batch.bucket, upload_id: upload.id }, query: { from } })
    .catch((error: unknown) => {
      throw statusOf(error) === 404 ? new UploadGone() : error
    })
  if (found.file_size !== null && found.file_size !== file.size) throw new OtherFile()
  for (const { part_number, url } of found.urls) upload.urls.set(part_number, url)
  return found
}

/** Takes over what the server says has arrived. */
async function refresh(item: Item, file: File, upload: Multipart): Promise<void> {
  const found = await ask(item, file, upload, 1)
  upload.partSize = found.part_size
  const parts = new Map(found.parts.map(({ part_number, etag }) => [part_number, etag]))
  // Begun elsewhere: only the parts themselves can tell whether this is the file.
  if (!upload.known && item.fingerprint === undefined && !(await holdsParts(file, upload, parts))) throw new OtherFile()
  upload.parts = parts
  upload.known = true
}

async function holdsParts(file: File, upload: Multipart, parts: ReadonlyMap<number, string>): Promise<boolean> {
  for (const [n, etag] of parts) if ((await md5Of(sliceOf(file, upload, n))) !== etag) return false
  return true
}
const sliceOf = (file: File, upload: Multipart, n: number): Blob => {
  const from = (n - 1) * upload.partSize
  return file.slice(from, from + sizeOfPart(file, upload, n))
}

async function sendMissing(item: Item, file: File, upload: Multipart, means: Means): Promise<void> {
  const missing = Array.from({ length: countOf(file, upload) }, (_, i) => i + 1).filter((n) => !upload.parts.has(n))
  const arrived = () => [...upload.parts.keys()].reduce((sum, n) => sum + sizeOfPart(file, upload, n), 0)
  const onTheWay = new Map<number, number>()
  const tell = () => means.sent(item, arrived() + [...onTheWay.values()].reduce((sum, bytes) => sum + bytes, 0))
  tell()
  // The first part that fails for good stops its siblings.
  const failure = new AbortController()
  const signal = AbortSignal.any([means.signal, failure.signal])
  const work = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      const etag = await sendPart(item, file, upload, n, { ...means, signal }, (bytes) => {
        onTheWay.set(n as number, bytes)
        tell()
      }).finally(() => onTheWay.delete(n as number))
      upload.parts.set(n, etag)
      tell()
    }
  }
  try {
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, () => work().catch(stopAll)))
  } finally {
    onTheWay.clear()
    tell()
  }
  function stopAll(error: unknown): never {
    failure.abort(error)
    throw error
  }
}

/** PUTs one part to its URL; gives the ETag. */
async function sendPart(
  item: Item,
  file: File,
  upload: Multipart,
  n: number,
  means: Means,
  progress: (bytes: number) => void,
): Promise<string> {
  const body = sliceOf(file, upload, n)
  const { signal } = means
  const send = () => put({ url: urlOfPart(upload, n), body, authorized: false, signal, progress })
  return persistently(circumstances(item, file, means), async () => {
    const free = await means.slots.take('part', signal)
    try {
      if (!upload.urls.has(n)) await ask(item, file, upload, n)
      const { text, etag } = await send().catch(async (error: unknown) => {
        if (statusOf(error) !== 403) throw error
        // The URL has expired.
        await ask(item, file, upload, n)
        return send()
      })
      return etag?.replaceAll('"', '') ?? (JSON.parse(text) as { etag: string }).etag
    } catch (error) {
      progress(0)
      throw statusOf(error) === 404 ? new UploadGone() : error
    } finally {
      free()
    }
  })
}

/** The server names itself by its public address, which need not be the one that this page came by. */
function urlOfPart(upload: Multipart, n: number): string {
  const url = upload.urls.get(n) ?? ''
  const { pathname } = new URL(url, location.origin)
  return pathname.startsWith('/api/v1/parts/') ? pathname : url
}

async function complete(item: Item, file: File, upload: Multipart, means: Means): Promise<void> {
  means.completing(item)
  const around = circumstances(item, file, means)
  for (let attempt = 1; ; attempt++)
    try {
      await persistently(around, () =>
        client.completeUpload({
          params: { name: item.batch.bucket },
          body: {
            upload_id: upload.id,
            parts: [...upload.parts].sort(([a], [b]) => a - b).map(([part_number, etag]) => ({ part_number, etag })),
            ...(item.overwrite ? {} : { if_none_match: '*' }),
          },
        }),
      )
      return
    } catch (error) {
      if (statusOf(error) === 404) throw new UploadGone()
      if (statusOf(error) !== 409 || attempt > 2) throw error
      // Parts are missing, or others than we know of: what the server has counts.
      await persistently(around, () => refresh(item, file, upload))
      await sendMissing(item, file, upload, means)
    }
}

/** Has the server forget what was sent of a file that nobody wants any more. */
export async function giveUp({ upload, batch }: Item): Promise<void> {
  if (!upload) return
  await client
    .abortUpload({ params: { name: batch.bucket }, body: { upload_id: upload.id } })
    // Gone already, or it goes by itself in a day.
    .catch(() => undefined)
}

/** The ETag that the object of a file has. */
export async function etagOf(file: File, partSize: number | undefined): Promise<string> {
  if (partSize === undefined) return md5Of(file)
  const upload: Multipart = { id: '', partSize, parts: new Map(), urls: new Map(), known: true }
  const sums: Uint8Array<ArrayBuffer>[] = []
  const count = countOf(file, upload)
  for (let n = 1; n <= count; n++) {
    const hex = await md5Of(sliceOf(file, upload, n))
    sums.push(Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16)))
  }
  return `${await md5Of(new Blob(sums))}-${count}`
}
