// Thumbnails that the browser draws itself, of what the image proxy has no pictures of.
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'
import { ownUrl } from './bulk.tsx'

const WIDTH = 256
/** As much of a page as a tile shows: its head. */
const HEAD = 192
/** Of a text, small enough to be read in a tile. */
const PAPER = { width: 176, height: 132 }
/** The first lines of a text. */
const TEXT_BYTES = 2048
const LINE = 12
/** A video that shows nothing by then keeps its icon. */
const VIDEO_MS = 10_000
/** Readable on light and dark ground. */
const INK = '#77828f'

type About = Pick<StoredObject, 'bucket' | 'key' | 'etag' | 'size'>

/** An SVG, as an image: browsers run no script of it and load nothing that it refers to. */
export const drawing = async (object: About, signal?: AbortSignal): Promise<Blob> =>
  new Blob([await bytesOf(object, undefined, signal)], { type: 'image/svg+xml' })

/** UTF-8, unless the first bytes say that it is UTF-16. */
const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'

/** The first lines of a text, as they are. What turns out to be none is refused. */
export async function text(object: About, signal?: AbortSignal): Promise<Blob> {
  const bytes = new Uint8Array(await bytesOf(object, [0, TEXT_BYTES], signal))
  // More would follow: a character that is cut at the end is left out.
  const words = new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: true })
  if (/[\0\ufffd]/.test(words)) throw new Error('no text')
  return paint(PAPER.width, PAPER.height, (pen) => {
    pen.font = `9px ${getComputedStyle(document.documentElement).getPropertyValue('--mantine-font-family-monospace')}`
    pen.fillStyle = INK
    const lines = words.split(/\r?\n/, Math.floor(PAPER.height / LINE))
    for (const [i, line] of lines.entries()) pen.fillText(line.slice(0, 80).replaceAll('\t', '  '), 10, 17 + i * LINE)
  })
}

/** A frame of a video, from its first second. */
export async function video({ bucket, key }: About, signal?: AbortSignal): Promise<Blob> {
  const { url } = await client.presignObject({
    params: { bucket },
    body: { key, expires_in: '15m', embed: true },
    ...(signal ? { signal } : {}),
  })
  const film = document.createElement('video')
  film.muted = true
  film.preload = 'auto'
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error('no frame'))
      setTimeout(fail, VIDEO_MS)
      signal?.addEventListener('abort', fail, { once: true })
      film.onerror = fail
      film.onloadeddata = () => {
        film.currentTime = Math.min(1, film.duration / 2 || 0)
      }
      film.onseeked = () => resolve()
      film.src = ownUrl(url)
    })
    const { videoWidth: width, videoHeight: height } = film
    if (!(width > 0 && height > 0)) throw new Error('no frame')
    return await paint(WIDTH, Math.max(1, Math.round((WIDTH * height) / width)), (pen, w, h) =>
      pen.drawImage(film, 0, 0, w, h),
    )
  } finally {
    film.removeAttribute('src')
    film.load()
  }
}

/** The first page of a PDF. */
export async function pdf(object: About, signal?: AbortSignal): Promise<Blob> {
  const { firstPage } = await import('./pdf-page.ts')
  const { bucket, key, etag, size } = object
  const read = (from: number, to: number) => bytesOf(object, [from, to], signal)
  const scale = sharpness()
  const most = { width: WIDTH * scale, height: HEAD * scale }
  return imageOf(await firstPage({ id: `${bucket}/${key} ${etag}`, size, read }, most, signal))
}

/** The bytes of an object, or those of a range, whose end is after its last byte. */
async function bytesOf({ bucket, key, size }: About, range?: readonly [number, number], signal?: AbortSignal) {
  const [from, to] = range ?? [0, size]
  const headers: Record<string, string> = from > 0 || to < size ? { range: `bytes=${from}-${to - 1}` } : {}
  const answer = await client.getObjectByQuery({
    params: { bucket },
    query: { key },
    headers,
    ...(signal ? { signal } : {}),
  })
  return answer.arrayBuffer()
}

/** Pixels of a screen for each of a page. */
const sharpness = (): number => Math.min(2, devicePixelRatio)

/** An image of what is drawn, sharp on dense screens. */
async function paint(
  width: number,
  height: number,
  draw: (pen: CanvasRenderingContext2D, width: number, height: number) => void,
): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const scale = sharpness()
  canvas.width = width * scale
  canvas.height = height * scale
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('no canvas')
  pen.scale(scale, scale)
  draw(pen, width, height)
  return imageOf(canvas)
}

const imageOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no image'))), 'image/webp', 0.85),
  )
