import type { StoredObject } from '../../../../contract/objects.ts'
import { pictureNow, pictureOf } from './pictures.ts'

const WIDTH = 256
/** Browsers have six connections to a server; rows and uploads need some. */
const AT_ONCE = 3
/** A tile that is only scrolled by is not asked for. */
const REST_MS = 120

/** What the image proxy makes pictures of. */
export const isPictured = ({ content_type, size }: Pick<StoredObject, 'content_type' | 'size'>): boolean =>
  size > 0 && /^image\/(jpeg|png|webp|avif|gif|tiff)\b/.test(content_type)

interface Pictured {
  bucket: string
  key: string
  etag: string
}
/** The picture, where it was fetched before. */
export const shownThumbnail = (bucket: string, key: string, etag: string): string | undefined =>
  pictureNow(bucket, key, etag, WIDTH)

const heard = new WeakMap<Element, (isInSight: boolean) => void>()
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) heard.get(target)?.(isIntersecting)
})
const waiting = new Set<() => Promise<void>>()
let busy = 0
function admit(): void {
  for (const start of waiting) {
    if (busy >= AT_ONCE) return
    waiting.delete(start)
    busy++
    void start().finally(() => {
      busy--
      admit()
    })
  }
}

/** Fetches the picture once its tile rests in sight. Gives what ends that: a tile that leaves is not waited for. */
export function watchThumbnail(
  tile: Element,
  { bucket, key, etag }: Pictured,
  show: (url: string) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let control = new AbortController()
  let isShown = false
  const start = async () => {
    const { signal } = control
    try {
      const url = await pictureOf(bucket, key, etag, WIDTH, signal)
      if (signal.aborted) return
      isShown = true
      show(url)
    } catch {
      // What is no picture after all keeps its sign.
    }
  }
  const leave = () => {
    clearTimeout(timer)
    waiting.delete(start)
    if (!isShown) control.abort()
  }
  heard.set(tile, (isInSight) => {
    if (isShown) return
    leave()
    if (!isInSight) return
    control = new AbortController()
    timer = setTimeout(() => {
      waiting.add(start)
      admit()
    }, REST_MS)
  })
  sight.observe(tile)
  return () => {
    sight.unobserve(tile)
    heard.delete(tile)
    leave()
  }
}
