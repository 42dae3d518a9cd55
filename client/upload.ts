import type { Client } from './create.ts'
import type { StoredObject } from './operations.ts'
import { pause } from './pause.ts'
import { pauseAfter } from './retry.ts'
import { ProblemError, problemOf } from './send.ts'

export interface FileUpload {
  bucket: string
  key: string
  /** A browser's File, `await openAsBlob(path)` from node:fs or `Bun.file(path)`; parts are read as they are sent. */
  file: Blob
  /** Default: the file's own type, otherwise by the key's extension. */
  contentType?: string
  metadata?: Record<string, string>
  /** Fail if the key already exists. */
  onlyNew?: boolean
  /** Files of at least this many bytes are sent in parts. Default 32 MiB. */
  partsFrom?: number
  /** Bytes per part, at least 5 MiB. Default: chosen by the service. */
  partSize?: number
  /** Parts sent at the same time. Default 4. */
  concurrency?: number
  signal?: AbortSignal
  /** Called with the number of bytes stored so far. */
  onProgress?: (sent: number) => void
  /**
   * Called with the upload's id before its first part is sent. A caller that sets it can resume later, so a failed
   * upload stays open and expires after a day. Without it a failed upload is aborted at once.
   */
  onStart?: (uploadId: string) => void
  /**
   * Resumes an upload of the same file: parts already stored are compared by MD5 (hex) and not sent again. If the file
   * has changed, that upload is aborted and a new one starts.
   */
  resume?: { uploadId: string; md5: (part: Blob) => Promise<string> }
}

const MIB = 1024 ** 2

/** Uploads a file: in one request, or a large one in parts, several at a time, each retried if it fails. */
export async function uploadFile(client: Client, what: FileUpload): Promise<StoredObject> {
  const { bucket, key, file, signal, metadata = {}, partsFrom = 32 * MIB } = what
  const contentType = what.contentType || file.type || undefined
  if (!what.resume && (file.size === 0 || file.size < partsFrom)) {
    const headers: Record<string, string> = {}
    if (contentType) headers['content-type'] = contentType
    if (what.onlyNew) headers['if-none-match'] = '*'
    for (const [name, value] of Object.entries(metadata)) headers[`x-meta-${name}`] = value
    const stored = await client.putObject({ params: { bucket, key }, body: file, headers, ...pass(signal) })
    what.onProgress?.(file.size)
    return stored
  }
  const upload = (what.resume && (await resumed(client, what, what.resume))) ?? (await begin(client, what, contentType))
  what.onStart?.(upload.upload_id)
  try {
    const parts = await sendParts(client, what, upload)
    return await client.completeUpload({
      params: { bucket },
      body: { upload_id: upload.upload_id, parts, ...(what.onlyNew && { if_none_match: '*' as const }) },
      ...pass(signal),
    })
  } catch (error) {
    if (!what.onStart && !what.resume)
      await client.abortUpload({ params: { bucket }, body: { upload_id: upload.upload_id } }).catch(() => undefined)
    throw error
  }
}

interface Begun {
  upload_id: string
  part_size: number
  /** ETags of the parts already stored, by part number. */
  done: Map<number, string>
  urls: Map<number, string>
}

async function begin(client: Client, what: FileUpload, contentType: string | undefined): Promise<Begun> {
  const { bucket, key, file, metadata = {}, partSize, signal } = what
  const { urls, ...upload } = await client.initUpload({
    params: { bucket },
    body: {
      key,
      file_size: file.size,
      metadata,
      ...(contentType && { content_type: contentType }),
      ...(partSize && { part_size: partSize }),
    },
    ...pass(signal),
  })
  return { ...upload, done: new Map(), urls: new Map(urls.map((url, i) => [i + 1, url])) }
}

/** An upload to resume, with its stored parts; aborts it and returns null if they differ from the file. */
async function resumed(
  client: Client,
  what: FileUpload,
  resume: NonNullable<FileUpload['resume']>,
): Promise<Begun | null> {
  const { bucket, key, file, signal } = what
  const done = new Map<number, string>()
  const urls = new Map<number, string>()
  for (let from = 1; ; from += 1000) {
    const upload = await client.getUpload({
      params: { bucket, upload_id: resume.uploadId },
      query: { from },
      ...pass(signal),
    })
    const { upload_id } = upload
    if (upload.key !== key) throw new Error(`The upload ${upload_id} is of another key`)
    for (const { part_number, url } of upload.urls) urls.set(part_number, url)
    for (const { part_number, size, etag } of upload.parts) {
      const part = slice(file, upload.part_size, part_number)
      if (upload.file_size !== file.size || part.size !== size || (await resume.md5(part)) !== etag) {
        await client.abortUpload({ params: { bucket }, body: { upload_id }, ...pass(signal) })
        return null
      }
      done.set(part_number, etag)
    }
    if (from + 1000 > (upload.num_parts ?? 0)) return { ...upload, done, urls }
  }
}

const slice = (file: Blob, partSize: number, number: number): Blob =>
  file.slice((number - 1) * partSize, Math.min(file.size, number * partSize))

async function sendParts(client: Client, what: FileUpload, upload: Begun) {
  const { file, concurrency = 4 } = what
  const count = Math.max(1, Math.ceil(file.size / upload.part_size))
  const stop = new AbortController()
  const signal = what.signal ? AbortSignal.any([what.signal, stop.signal]) : stop.signal
  let sent = 0
  for (const number of upload.done.keys()) sent += slice(file, upload.part_size, number).size
  what.onProgress?.(sent)
  let next = 1
  const worker = async () => {
    while (next <= count) {
      const number = next++
      if (upload.done.has(number)) continue
      const part = slice(file, upload.part_size, number)
      upload.done.set(number, await sendPart(client, { bucket: what.bucket, upload, number, signal }, part))
      sent += part.size
      what.onProgress?.(sent)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker))
  } catch (error) {
    stop.abort(error)
    throw error
  }
  return Array.from({ length: count }, (_, i) => ({ part_number: i + 1, etag: upload.done.get(i + 1) ?? '' }))
}

interface PartOf {
  bucket: string
  upload: Begun
  number: number
  signal: AbortSignal
}

async function sendPart(client: Client, what: PartOf, part: Blob): Promise<string> {
  const { upload, number, signal } = what
  const attempted = { name: 'putPart', method: 'PUT', streams: false, conditional: false }
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await client.fetch(await urlFor(client, what), {
        method: 'PUT',
        body: part,
        signal,
      })
      if (!response.ok) throw new ProblemError(await problemOf(response), response)
      const etag = response.headers.get('etag')
      await response.body?.cancel()
      if (etag === null) throw new Error('The response to a part has no readable ETag (CORS must expose ETag).')
      return etag.replaceAll('"', '')
    } catch (error) {
      // Part URLs expire; ask for a fresh one.
      const expired = error instanceof ProblemError && error.response.status === 403 && attempt === 1
      const ms = expired ? 0 : pauseAfter(error, attempted, attempt, client.retry)
      if (ms === null) throw error
      if (expired) upload.urls.delete(number)
      await pause(ms, signal)
    }
  }
}

async function urlFor(client: Client, { bucket, upload, number, signal }: PartOf) {
  if (!upload.urls.has(number)) {
    const params = { bucket, upload_id: upload.upload_id }
    const { urls } = await client.getUpload({ params, query: { from: number }, signal })
    for (const { part_number, url } of urls) upload.urls.set(part_number, url)
  }
  const url = upload.urls.get(number)
  if (url === undefined) throw new Error(`The service gives no URL for part ${number}`)
  // The URL names the service's public address; the caller may reach it by another one.
  const [own] = /\/api\/v1\/parts\/[^/?#]+$/.exec(url) ?? []
  return own === undefined ? url : client.baseUrl + own
}

const pass = (signal: AbortSignal | undefined) => (signal ? { signal } : {})
