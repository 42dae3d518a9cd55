import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { client } from '../../../api/session.ts'
import { atOf, useAt } from '../../past/at.ts'
import { text } from '../messages.ts'
import { Zoomed } from './Picture.tsx'

/** All of an object, as it is or was at the moment of the view, as what elements can show that load by address. */
export function useWhole(
  { bucket, key, etag }: Pick<StoredObject, 'bucket' | 'key' | 'etag'>,
  { type, enabled = true }: { type: string; enabled?: boolean },
): { src: string | undefined; error: Error | null } {
  const at = useAt()
  const contents = useQuery({
    queryKey: ['whole', bucket, key, etag, type, at ?? ''],
    queryFn: async ({ signal }) => {
      const answer = await client.getObjectByQuery({ params: { bucket }, query: { key, ...atOf(at) }, signal })
      return new Blob([await answer.arrayBuffer()], { type })
    },
    enabled,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const [src, setSrc] = useState<string>()
  useEffect(() => {
    if (!contents.data) return
    const url = URL.createObjectURL(contents.data)
    setSrc(url)
    return () => URL.revokeObjectURL(url)
  }, [contents.data])
  return { src, error: contents.error }
}

/** A picture that opens on the full screen, or there, one that can be zoomed. */
export function Shown({
  src,
  name,
  onError,
  onFull,
}: {
  src: string
  name: string
  onError: () => void
  onFull: (() => void) | undefined
}) {
  if (!onFull) return <Zoomed src={src} alt={name} onError={onError} />
  return (
    <button type="button" className="contents contents-picture contents-open" title={text.fullScreen} onClick={onFull}>
      <img src={src} alt={name} onError={onError} />
    </button>
  )
}
