import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { client } from '../../../api/session.ts'
import { legible } from '../../../keys.ts'
import { atOf, useAt } from '../../past/at.ts'
import { text as past } from '../../past/messages.ts'
import { text } from '../messages.ts'
import type { Kind } from './kinds.ts'
import { Zoomed } from './Picture.tsx'
import { Broken, Nothing, Waiting } from './states.tsx'

/** What is kept in memory to be shown. */
const MOST = 64 * 1024 * 1024
/** Types that browsers show in an image; others need the image proxy, which shows what is there now. */
const shown = /^image\/(png|jpeg|gif|webp|avif|bmp)\b/

/** What a picture, video or recording was at a moment: its contents as they were, whole. */
export default function Former({ object, kind, onFull }: { object: StoredObject; kind: Kind; onFull?: () => void }) {
  const at = useAt()
  const { bucket, key, etag, size, content_type, erased = false } = object
  const isShown = kind === 'video' || kind === 'audio' || (kind === 'picture' && shown.test(content_type))
  const canShow = !erased && isShown && size <= MOST
  const contents = useQuery({
    queryKey: ['former', bucket, key, etag, at ?? ''],
    queryFn: async ({ signal }) => {
      const answer = await client.getObjectByQuery({ params: { bucket }, query: { key, ...atOf(at) }, signal })
      return new Blob([await answer.arrayBuffer()], { type: content_type })
    },
    enabled: canShow,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const [src, setSrc] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    if (!contents.data) return
    const url = URL.createObjectURL(contents.data)
    setSrc(url)
    return () => URL.revokeObjectURL(url)
  }, [contents.data])
  if (!canShow) return <Nothing>{erased ? past.erasedHint : past.noPreview}</Nothing>
  if (contents.error || isBroken) return <Broken error={contents.error} />
  if (!src) return <Waiting />
  const name = text.contents(legible(key))
  const fail = () => setBroken(true)
  if (kind === 'audio')
    return (
      <div className="contents contents-none">
        {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
        <audio src={src} controls aria-label={name} onError={fail} />
      </div>
    )
  if (kind === 'video')
    return (
      <div className="contents contents-picture">
        {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
        <video src={src} controls aria-label={name} onError={fail} />
      </div>
    )
  if (!onFull) return <Zoomed src={src} alt={name} onError={fail} />
  return (
    <button type="button" className="contents contents-picture contents-open" title={text.fullScreen} onClick={onFull}>
      <img src={src} alt={name} onError={fail} />
    </button>
  )
}
