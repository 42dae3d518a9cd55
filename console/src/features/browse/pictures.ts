import { ProblemError, urlOf } from '../../../../client/derived.ts'
import { api } from '../../../../contract/index.ts'
import { authorizedFetch } from '../../api/session.ts'

const MOST = 200
interface Picture {
  fetched: Promise<string>
  /** The object URL, once loaded. */
  url?: string
}
/** Loaded images by address, most recently used last. Evicted ones are released. */
const kept = new Map<string, Picture>()

const idOf = (bucket: string, key: string, etag: string, width: number) => `${bucket}/${key} ${etag} ${width}`
function letGo(id: string, picture: Picture): void {
  if (kept.get(id) === picture) kept.delete(id)
  picture.fetched.then(URL.revokeObjectURL, () => undefined)
}
function use(id: string): Picture | undefined {
  const found = kept.get(id)
  if (!found) return undefined
  kept.delete(id)
  kept.set(id, found)
  return found
}

/** The object URL of an image that is already loaded. */
export const pictureNow = (bucket: string, key: string, etag: string, width: number): string | undefined =>
  use(idOf(bucket, key, etag, width))?.url

/**
 * The object URL of an object's image of at most this width. The image proxy returns a raster image whatever was
 * uploaded, unless the image is `fetched` another way, and only this page can open it. Aborting the signal releases it.
 */
export function pictureOf(
  { bucket, key, etag }: { bucket: string; key: string; etag: string },
  width: number,
  signal?: AbortSignal,
  fetched: (signal?: AbortSignal) => Promise<Blob> = (signal) => fetchPicture(bucket, key, width, signal),
): Promise<string> {
  const id = idOf(bucket, key, etag, width)
  const found = use(id)
  if (found) return found.fetched
  const picture: Picture = { fetched: fetched(signal).then(URL.createObjectURL) }
  kept.set(id, picture)
  picture.fetched.then(
    (url) => {
      picture.url = url
    },
    () => letGo(id, picture),
  )
  signal?.addEventListener('abort', () => letGo(id, picture), { once: true })
  for (const [oldest, one] of kept) {
    if (kept.size <= MOST) break
    letGo(oldest, one)
  }
  return picture.fetched
}

async function fetchPicture(bucket: string, key: string, w: number, signal?: AbortSignal): Promise<Blob> {
  const address = urlOf('', api.getImageByQuery, { params: { bucket }, query: { key, w, format: 'webp' } })
  return fetchImage(address, signal)
}

/** What the image proxy serves at an address. Throws its problem. */
export async function fetchImage(address: string, signal?: AbortSignal): Promise<Blob> {
  const answer = await authorizedFetch(address, signal ? { signal } : {})
  if (!answer.ok) {
    if (!answer.headers.get('content-type')?.startsWith('application/problem+json')) throw new Error(`${answer.status}`)
    throw new ProblemError(await answer.json(), answer)
  }
  return answer.blob()
}
