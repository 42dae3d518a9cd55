import { urlOf } from '../../../../contract/client.ts'
import { api } from '../../../../contract/index.ts'
import { authorizedFetch } from '../../api/session.ts'

const MOST = 200
/** Pictures that were fetched, by address, the one used last at the end; what falls out is let go of. */
const kept = new Map<string, Promise<string>>()

/**
 * The object URL of an object as a picture of at most this width: the image proxy makes a raster of it, whatever was
 * uploaded, and only this page can open it.
 */
export function pictureOf(bucket: string, key: string, etag: string, width: number): Promise<string> {
  const id = `${bucket}/${key} ${etag} ${width}`
  const found = kept.get(id)
  kept.delete(id)
  const picture = found ?? fetchPicture(bucket, key, width)
  kept.set(id, picture)
  picture.catch(() => kept.delete(id))
  for (const [oldest, url] of kept) {
    if (kept.size <= MOST) break
    kept.delete(oldest)
    url.then(URL.revokeObjectURL, () => undefined)
  }
  return picture
}

async function fetchPicture(bucket: string, key: string, w: number): Promise<string> {
  const answer = await authorizedFetch(
    urlOf('', api.getImageByQuery, { params: { bucket }, query: { key, w, format: 'webp' } }),
  )
  if (!answer.ok) throw new Error(`${answer.status}`)
  return URL.createObjectURL(await answer.blob())
}
