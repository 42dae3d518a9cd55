import { ActionIcon } from '@mantine/core'
import { IconMaximize, IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { formatShare } from '../../../i18n.ts'
import { legible } from '../../../keys.ts'
import { text } from '../messages.ts'
import { objectText } from '../object-messages.ts'
import { pictureOf } from '../pictures.ts'
import { Broken, Waiting } from './states.tsx'

/** Of the panel, and of the full screen, where it can be enlarged. */
const WIDTH = 1600
const FULL_WIDTH = 3200
const STEP = 1.5
const MOST = 8

type About = Pick<StoredObject, 'bucket' | 'key' | 'etag'>

/** Loads what the full screen shows next. */
export const prepare = (object: About): void => void pictureOf(object, FULL_WIDTH).catch(() => undefined)

/** A picture in the panel, or on the full screen with its size in the user's hands. */
export function Picture({ object, onFull }: { object: StoredObject; onFull?: () => void }) {
  const { bucket, key, etag } = object
  const width = onFull ? WIDTH : FULL_WIDTH
  const picture = useQuery({
    queryKey: ['picture', bucket, key, etag, width],
    queryFn: () => pictureOf({ bucket, key, etag }, width),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (picture.error) return <Broken error={picture.error} />
  if (!picture.data) return <Waiting />
  const alt = objectText.contents(legible(key))
  if (!onFull) return <Zoomed src={picture.data} alt={alt} />
  return (
    <button type="button" className="contents contents-picture contents-open" title={text.fullScreen} onClick={onFull}>
      <img src={picture.data} alt={alt} />
    </button>
  )
}

/** A picture on the full screen, with its size in the user's hands. */
export function Zoomed({ src, alt, onError }: { src: string; alt: string; onError?: () => void }) {
  const image = useRef<HTMLImageElement>(null)
  /** Pixels of the page for one of the picture; undefined: as it fits. */
  const [scale, setScale] = useState<number>()
  const [natural, setNatural] = useState(0)
  const zoom = (by: number) => {
    const now = scale ?? (image.current && natural > 0 ? image.current.clientWidth / natural : 1)
    setScale(Math.min(Math.max(MOST, now), Math.max(1 / MOST, now * by)))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const does = { '+': () => zoom(STEP), '-': () => zoom(1 / STEP), 0: () => setScale(undefined) }[event.key]
    if (!does || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    does()
  }
  return (
    <div className="contents contents-zoomed">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <section className="contents-scroll" tabIndex={0} aria-label={alt} data-autofocus onKeyDown={onKeyDown}>
        <img
          ref={image}
          src={src}
          alt={alt}
          {...(scale === undefined ? { className: 'fits' } : { style: { inlineSize: natural * scale } })}
          {...(onError ? { onError } : {})}
          onLoad={({ currentTarget }) => setNatural(currentTarget.naturalWidth)}
        />
      </section>
      <div className="contents-zoom">
        <ActionIcon aria-label={objectText.zoomOut} title={objectText.zoomOut} onClick={() => zoom(1 / STEP)}>
          <IconZoomOut size={18} stroke={1.6} />
        </ActionIcon>
        <span role="status">{scale === undefined ? objectText.zoomFits : formatShare(scale)}</span>
        <ActionIcon aria-label={objectText.zoomIn} title={objectText.zoomIn} onClick={() => zoom(STEP)}>
          <IconZoomIn size={18} stroke={1.6} />
        </ActionIcon>
        <ActionIcon
          aria-label={objectText.zoomFit}
          title={objectText.zoomFit}
          disabled={scale === undefined}
          onClick={() => setScale(undefined)}
        >
          <IconMaximize size={18} stroke={1.6} />
        </ActionIcon>
      </div>
    </div>
  )
}
