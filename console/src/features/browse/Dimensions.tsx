import { useQuery } from '@tanstack/react-query'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'
import { atOf, useAt } from '../past/at.ts'
import { objectText } from './object-messages.ts'

/** What a picture says of its size is within so many bytes. */
const HEAD_BYTES = 256 * 1024

/** The pixels of a picture, in words, as soon as its first bytes tell; nothing if the browser does not know its type. */
export function Dimensions({ object: { bucket, key, etag, size, content_type } }: { object: StoredObject }) {
  const at = useAt()
  const { data } = useQuery({
    queryKey: ['dimensions', bucket, key, etag, at ?? ''],
    queryFn: async ({ signal }) => {
      const headers: Record<string, string> = size > HEAD_BYTES ? { range: `bytes=0-${HEAD_BYTES - 1}` } : {}
      const answer = await client.getObjectByQuery({ params: { bucket }, query: { key, ...atOf(at) }, headers, signal })
      return measure(new Blob([await answer.arrayBuffer()], { type: content_type }))
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return null
  return (
    <>
      <dt>{objectText.dimensions}</dt>
      <dd>{objectText.pixels(data.width, data.height)}</dd>
    </>
  )
}

/** As the browser turns it; null if it cannot tell. */
async function measure(head: Blob): Promise<{ width: number; height: number } | null> {
  const image = new Image()
  image.src = URL.createObjectURL(head)
  try {
    await new Promise<void>((resolve, reject) => {
      image.onload = () => resolve()
      image.onerror = () => reject(new Error('no picture'))
    })
    const { naturalWidth: width, naturalHeight: height } = image
    return width > 0 && height > 0 ? { width, height } : null
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(image.src)
  }
}
