// The first page of a PDF as a picture, drawn by PDF.js in two threads of its own.
import {
  GlobalWorkerOptions,
  getDocument,
  PDFDataRangeTransport,
  PDFWorker,
  VerbosityLevel,
  version,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import rendererUrl from 'pdfjs-dist/legacy/build/pdf.renderer.min.mjs?url'
import { BASE_PATH } from '../../base-path.ts'

/** Where the build puts what PDF.js loads by name (console/pdf.ts). */
const TABLES = new URL(`${BASE_PATH}/assets/pdf-${version}/`, location.origin).href
/**
 * How long it may work on a page. A few kilobytes can say that they inflate to gigabytes, and PDF.js keeps all that it has inflated:
 * the threads are ended, with what they hold.
 */
const MOST_MS = 3000
/** What is fetched of a document, from wherever it says that its first page is. */
const MOST_BYTES = 4 * 1024 * 1024
const PART = 128 * 1024
/** Of one image in it. */
const MOST_PIXELS = 24_000_000

type Read = (from: number, to: number) => Promise<ArrayBuffer>

/** Those that took too long, which are not tried again. */
const slow = new Set<string>()

/**
 * The first page of a document, in the colours of paper. `id` names these bytes; `read` gives those from `from` to before
 * `to`. Rejects for what is no PDF, needs a password, shows nothing, or takes more time or bytes than a thumbnail is worth.
 *
 * @param most in pixels; a longer page is cut off.
 */
export async function firstPage(
  { id, size, read }: { id: string; size: number; read: Read },
  most: { width: number; height: number },
  signal?: AbortSignal,
): Promise<HTMLCanvasElement> {
  if (slow.has(id)) throw new Error('It took too long before.')
  const first = new Uint8Array(await read(0, Math.min(size, PART)))
  const work = startWork(signal)
  work.late.catch(() => slow.add(id))
  try {
    return await Promise.race([work.late, work.stopped, draw({ size, first, read }, most, work)])
  } finally {
    work.end()
  }
}

/** Two threads, and the time that they have left: it does not pass while they wait for bytes. */
function startWork(signal: AbortSignal | undefined) {
  const parser = new Worker(new URL('./pdf.worker.ts', import.meta.url), { type: 'module' })
  const renderer = new Worker(rendererUrl, { type: 'module' })
  const late = Promise.withResolvers<never>()
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => undefined)
  const stop = () => stopped.reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  for (const thread of [parser, renderer]) thread.onerror = () => stopped.reject(new Error('A thread has failed.'))
  let left = MOST_MS
  let since = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    parser,
    renderer,
    late: late.promise,
    stopped: stopped.promise,
    refuse: stopped.reject,
    wait() {
      clearTimeout(timer)
      if (since) left -= performance.now() - since
      since = 0
    },
    goOn() {
      if (since) return
      since = performance.now()
      timer = setTimeout(() => late.reject(new Error('It takes too long.')), Math.max(0, left))
    },
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      for (const thread of [parser, renderer]) thread.terminate()
    },
  }
}

async function draw(
  { size, first, read }: { size: number; first: Uint8Array; read: Read },
  most: { width: number; height: number },
  work: ReturnType<typeof startWork>,
): Promise<HTMLCanvasElement> {
  // PDF.js takes the thread that renders from there.
  GlobalWorkerOptions.rendererPorts = [work.renderer]
  const worker = PDFWorker.create({ port: work.parser, verbosity: VerbosityLevel.ERRORS })
  await worker.promise
  work.goOn()
  const range = new PDFDataRangeTransport(size, first, first.length === size)
  let left = MOST_BYTES - first.length
  let asked = 0
  range.requestDataRange = (from, to) => {
    left -= to - from
    if (left < 0) return work.refuse(new Error('It needs too many bytes.'))
    if (asked++ === 0) work.wait()
    read(from, to).then((bytes) => {
      if (--asked === 0) work.goOn()
      range.onDataRange(from, new Uint8Array(bytes))
    }, work.refuse)
  }
  const document = await getDocument({
    range,
    worker,
    rangeChunkSize: PART,
    disableAutoFetch: true,
    disableStream: true,
    maxImageSize: MOST_PIXELS,
    canvasMaxAreaInBytes: MOST_PIXELS * 4,
    // The threads may ask nobody for anything: what they need is fetched here.
    useWorkerFetch: false,
    wasmUrl: TABLES,
    cMapUrl: TABLES,
    verbosity: VerbosityLevel.ERRORS,
  }).promise
  const page = await document.getPage(1)
  const { width, height } = page.getViewport({ scale: 1 })
  const viewport = page.getViewport({ scale: most.width / width })
  const canvas = globalThis.document.createElement('canvas')
  canvas.width = most.width
  canvas.height = Math.max(1, Math.min(most.height, Math.round((most.width * height) / width)))
  await page.render({ canvas, viewport }).promise
  if (isBlank(canvas)) throw new Error('It shows nothing.')
  return canvas
}

/** Whether all of its pixels are alike: what it is about is in fonts or images that could not be read. */
function isBlank(canvas: HTMLCanvasElement): boolean {
  const pen = canvas.getContext('2d')
  const pixels = new Uint32Array(pen?.getImageData(0, 0, canvas.width, canvas.height).data.buffer ?? new ArrayBuffer(0))
  return pixels.every((pixel) => pixel === pixels[0])
}
