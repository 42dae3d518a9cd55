import fs from 'node:fs'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError, type StoredObject, uploadFile } from '../client/index.ts'
import { compareEtag, makeFolders, md5OfBlob, partName } from './files.ts'
import type { Run } from './run.ts'

/** The metadata name under which an upload stores the file's modification time. */
const MTIME = 'mtime'
/** When the contents were last modified, as far as is known; `own`: the file's own time. */
export const changedAt = ({ metadata, last_modified }: StoredObject): { time: number; own: boolean } => {
  const own = Date.parse(metadata[MTIME] ?? '')
  return Number.isNaN(own) ? { time: Date.parse(last_modified), own: false } : { time: own, own: true }
}

/** Files of at least this size are uploaded in parts and can be resumed. */
const PARTS_FROM = 32 * 1024 ** 2

/** Uploads a local file. */
export async function upload({ client, progress }: Run, file: string, bucket: string, key: string): Promise<void> {
  const { size, mtime } = await fs.promises.stat(file)
  const open = size >= PARTS_FROM ? await openUpload(client, bucket, key, size) : undefined
  let sent = 0
  await uploadFile(client, {
    bucket,
    key,
    file: await fs.openAsBlob(file),
    metadata: { [MTIME]: mtime.toISOString() },
    partsFrom: PARTS_FROM,
    // Passing it keeps the parts that have arrived, for the next try.
    onStart: () => undefined,
    onProgress(now) {
      progress.bytes += now - sent
      sent = now
    },
    ...(open && { resume: { uploadId: open, md5: md5OfBlob } }),
  })
  progress.files++
}

/** The id of an unfinished upload of this size to this key. */
async function openUpload(client: Run['client'], bucket: string, key: string, size: number) {
  for await (const one of client.all.listUploads({ params: { bucket } }))
    if (one.key === key && one.file_size === size && one.received_parts > 0) return one.upload_id
  return undefined
}

const ATTEMPTS = 5

/**
 * Downloads an object to a file. Writes to a temporary file next to it, resumes after an interruption, and replaces the
 * target once it is complete and its MD5 matches, so that the target is always the old or the new file.
 */
export async function download(run: Run, object: StoredObject, root: string, file: string): Promise<void> {
  const { bucket, key, etag, size } = object
  await makeFolders(root, file)
  const part = path.join(path.dirname(file), partName(bucket, key, etag))
  for (let attempt = 1; ; attempt++) {
    try {
      await receive(run, object, part)
      break
    } catch (error) {
      // An error response is final; a broken connection is retried from where it stopped.
      const broken = !(error instanceof ProblemError) && (error as NodeJS.ErrnoException).syscall !== 'open'
      if (!broken || attempt >= ATTEMPTS || !isNetwork(error)) throw error
      await pause(200 * 2 ** attempt)
    }
  }
  if ((await compareEtag(part, size, etag)) === 'different') {
    await fs.promises.rm(part)
    throw new Error('the downloaded contents do not match the object; try again')
  }
  const time = changedAt(object).time / 1000
  await fs.promises.utimes(part, time, time)
  await fs.promises.rename(part, file)
  run.progress.files++
}

const isNetwork = (error: unknown): boolean =>
  error instanceof TypeError || /^(ECONN|EPIPE|UND_ERR|ETIMEDOUT)/.test((error as NodeJS.ErrnoException).code ?? '')

async function receive({ client, progress }: Run, object: StoredObject, part: string): Promise<void> {
  const { bucket: name, key, etag, size, version_id } = object
  let have = fs.lstatSync(part, { throwIfNoEntry: false })?.size ?? 0
  if (have > size) have = 0
  if (have === size && size > 0) return
  const headers = { 'if-match': `"${etag}"`, ...(have > 0 && { range: `bytes=${have}-` }) }
  const response = await client.getObject({
    params: { bucket: name, key },
    query: version_id === undefined ? {} : { version_id },
    headers,
  })
  if (have > 0 && response.status !== 206) have = 0
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      progress.bytes += chunk.length
      done(null, chunk)
    },
  })
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW = 0 } = fs.constants
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | (have > 0 ? O_APPEND : O_TRUNC)
  // Opened here because createWriteStream accepts numeric flags only in its types.
  const handle = await fs.promises.open(part, flags, 0o666)
  const body = response.body ? Readable.fromWeb(response.body as never) : Readable.from([])
  await pipeline(body, counted, handle.createWriteStream())
  const got = fs.statSync(part).size
  if (got !== size) throw Object.assign(new Error(`received ${got} of ${size} bytes`), { code: 'ECONNRESET' })
}
