import { useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { legible } from '../../../keys.ts'
import { text as past } from '../../past/messages.ts'
import { objectText } from '../object-messages.ts'
import type { Kind } from './kinds.ts'
import { Broken, Nothing, Waiting } from './states.tsx'
import { Shown, useWhole } from './Whole.tsx'

/** What is kept in memory to be shown. */
const MOST = 64 * 1024 * 1024
/** Types that browsers show in an image; others need the image proxy, which shows what is there now. */
const shown = /^image\/(png|jpeg|gif|webp|avif|bmp)\b/

/** What a picture, video or recording was at a moment: its contents as they were, whole. */
export default function Former({ object, kind, onFull }: { object: StoredObject; kind: Kind; onFull?: () => void }) {
  const { key, size, content_type, erased = false } = object
  const isShown = kind === 'video' || kind === 'audio' || (kind === 'picture' && shown.test(content_type))
  const canShow = !erased && isShown && size <= MOST
  const { src, error } = useWhole(object, { type: content_type, enabled: canShow })
  const [isBroken, setBroken] = useState(false)
  if (!canShow) return <Nothing>{erased ? past.erasedHint : past.noPreview}</Nothing>
  if (error || isBroken) return <Broken error={error} />
  if (!src) return <Waiting />
  const name = objectText.contents(legible(key))
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
  return <Shown src={src} name={name} onError={fail} onFull={onFull} />
}
