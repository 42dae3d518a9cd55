import type { StoredObject } from '../../../../contract/objects.ts'
import { isDrawing, kindOf } from './contents/kinds.ts'
import { pictureNow, pictureOf } from './pictures.ts'

const WIDTH = 256
/** Browsers open six connections to a server; rows and uploads need some. */
const AT_ONCE = 3
/** Tiles that are only scrolled past are not loaded. */
const REST_MS = 120

/** Larger drawings are not loaded for their thumbnails. */
const MOST_DRAWING = 256 * 1024

/** Types that the image proxy renders. */
export const isPictured = ({ content_type, size }: Pick<StoredObject, 'content_type' | 'size'>): boolean =>
  size > 0 && /^image\/(jpeg|png|webp|avif|gif|tiff)\b/.test(content_type)

type Pictured = Pick<StoredObject, 'bucket' | 'key' | 'etag' | 'content_type' | 'size' | 'encryption'>

/** What a thumbnail is made of: the image proxy's picture, or what the browser draws itself. */
export function thumbnailOf(object: Pictured): 'picture' | 'drawing' | 'video' | 'pdf' | 'text' | undefined {
  if (object.encryption?.algorithm === 'SSE-C' || object.size === 0) return undefined
  if (isPictured(object)) return 'picture'
  if (isDrawing(object)) return object.size <= MOST_DRAWING ? 'drawing' : undefined
  const kind = kindOf(object)
  return kind === 'video' || kind === 'pdf' || kind === 'text' ? kind : undefined
}
/** The thumbnail, if it is already loaded. */
export const shownThumbnail = (bucket: string, key: string, etag: string): string | undefined =>
  pictureNow(bucket, key, etag, WIDTH)

const heard = new WeakMap<Element, (isInSight: boolean) => void>()
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) heard.get(target)?.(isIntersecting)
})
interface Load {
  of: ReturnType<typeof thumbnailOf>
  start: () => Promise<void>
}
const waiting = new Set<Load>()
const busy = new Set<Load>()
function admit(): void {
  for (const load of waiting) {
    if (busy.size >= AT_ONCE) return
    // One PDF at a time, so that what they hold does not add up.
    if (load.of === 'pdf' && [...busy].some(({ of }) => of === 'pdf')) continue
    waiting.delete(load)
    busy.add(load)
    void load.start().finally(() => {
      busy.delete(load)
      admit()
    })
  }
}

/** Loads the thumbnail once its tile stays visible. Returns a function that cancels it when the tile leaves. */
export function watchThumbnail(tile: Element, object: Pictured, show: (url: string) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let control = new AbortController()
  let isShown = false
  const of = thumbnailOf(object)
  const start = async () => {
    const { signal } = control
    try {
      const drawn = of === undefined || of === 'picture' ? undefined : (await import('./drawn.ts'))[of]
      const url = await pictureOf(object, WIDTH, signal, drawn && ((signal) => drawn(object, signal)))
      if (signal.aborted) return
      isShown = true
      show(url)
    } catch {
      // A file that turns out not to be an image keeps its icon.
    }
  }
  const load = { of, start }
  const leave = () => {
    clearTimeout(timer)
    waiting.delete(load)
    if (!isShown) control.abort()
  }
  heard.set(tile, (isInSight) => {
    if (isShown) return
    leave()
    if (!isInSight) return
    control = new AbortController()
    timer = setTimeout(() => {
      waiting.add(load)
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
