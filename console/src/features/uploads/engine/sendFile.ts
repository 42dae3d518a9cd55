import { ProblemError, urlOf } from '../../../../../client/derived.ts'
import { api } from '../../../../../contract/index.ts'
import { client } from '../../../api/session.ts'
import { fingerprint, md5Of } from './hash.ts'
import { type Item, type Multipart, partSizeFor } from './item.ts'
import { type Circumstances, persistently } from './retry.ts'
import { put } from './send.ts'
import type { Slots } from './slots.ts'

const PARTS_AT_ONCE = 3
/** How often an upload that expired on the server is started again. */
const FRESH_STARTS = 2

/** What sending a file needs from the engine. */
export interface Means {
  slots: Slots
  signal: AbortSignal
  reach: Circumstances['reach']
  /** Bytes sent so far, including those in transit. */
  sent(item: Item, bytes: number): void
  /** The server's state has changed and must survive a reload. */
  save(item: Item): void
  /** Everything is sent; the upload is being completed. */
  completing(item: Item): void
}

/** The server no longer knows the upload. */
class UploadGone extends Error {}
/** The chosen file is not the one the uploaded parts are from. */
export class OtherFile extends Error {}

const statusOf = (error: unknown): number => (error instanceof ProblemError ? error.response.status : 0)

/** Sends a whole file in one request. */
export async function sendSmall(item: Item, file: File, means: Means): Promise<void> {
  const { batch, key, overwrite } = item
  const url = urlOf('', api.putObjectByQuery, { params: { bucket: batch.bucket }, query: { key } })
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
  signal,
  file,
  reach,
  lost: () => {
    item.uncertain = true
  },
})

/** Sends a file's parts, several at a time, skipping those already uploaded. */
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

/** The upload on the server: started now, or resumed. */
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
      params: { bucket },
      body: {
        key: item.key,
        file_size: file.size,
        part_size: partSizeFor(file.size),
        ...(file.type ? { content_type: file.type } : {}),
      },
    }),
  )
  item.upload = {
    id: begun.upload_id,
    partSize: begun.part_size,
    parts: new Map(),
    known: true,
    urls: new Map(begun.urls.map((url, i) => [i + 1, url])),
  }
  // A cancel in the meantime could not name the upload yet.
  if (item.state === 'cancelled') await giveUp(item)
  else means.save(item)
  means.signal.throwIfAborted()
  return item.upload
}

/** The parts the server has, and URLs for those it lacks, starting at one part. */
async function ask(item: Item, file: File, upload: Multipart, from: number) {
  const found = await client
    .getUpload({ params: { bucket: item.batch.bucket, upload_id: upload.id }, query: { from } })
    .catch((error: unknown) => {
      throw statusOf(error) === 404 ? new UploadGone() : error
    })
  if (found.file_size !== null && found.file_size !== file.size) throw new OtherFile()
  for (const { part_number, url } of found.urls) upload.urls.set(part_number, url)
  return found
}

/** Takes over the server's list of uploaded parts. */
async function refresh(item: Item, file: File, upload: Multipart): Promise<void> {
  const found = await ask(item, file, upload, 1)
  upload.partSize = found.part_size
  const parts = new Map(found.parts.map(({ part_number, etag }) => [part_number, etag]))
  // Started elsewhere: only the parts themselves can tell whether this is the file.
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
  // The first part that fails permanently stops the others.
  const failure = new AbortController()
  const signal = AbortSignal.any([means.signal, failure.signal])
  const work = async () => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      const etag = await sendPart({ item, file, upload, n }, { ...means, signal }, (bytes) => {
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

/** PUTs one part to its URL and returns its ETag. */
async function sendPart(
  { item, file, upload, n }: { item: Item; file: File; upload: Multipart; n: number },
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

/** The server uses its public address, which may differ from the page's. */
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
          params: { bucket: item.batch.bucket },
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
      // Parts are missing or differ: the server's list wins.
      await persistently(around, () => refresh(item, file, upload))
      await sendMissing(item, file, upload, means)
    }
}

/** Aborts a cancelled file's upload on the server. */
export async function giveUp({ upload, batch }: Item): Promise<void> {
  if (!upload) return
  await client
    .abortUpload({ params: { bucket: batch.bucket }, body: { upload_id: upload.id } })
    // Already gone, or it expires within a day.
    .catch(() => undefined)
}
