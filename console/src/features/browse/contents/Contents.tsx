import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { client } from '../../../api/session.ts'
import { wholeLanguage } from '../../../i18n.ts'
import { legible, nameOf, parentOf } from '../../../keys.ts'
import { useAt } from '../../past/at.ts'
import { assertReadable, ownUrl } from '../bulk.tsx'
import { text } from '../messages.ts'
import { objectText } from '../object-messages.ts'
import { isDrawing, kindOf } from './kinds.ts'
import { Picture } from './Picture.tsx'
import { Broken, Nothing, Waiting } from './states.tsx'
import { Words } from './Words.tsx'

const Former = lazy(() => wholeLanguage().then(() => import('./Former.tsx')))
const Drawing = lazy(() => import('./Drawing.tsx'))

/** Previews an object, as far as that is safe. `onFull` opens it on the full screen; without it, it is there already. */
export function Contents({ object, onFull }: { object: StoredObject; onFull?: () => void }) {
  const [asText, setAsText] = useState(false)
  const at = useAt()
  if (object.encryption?.algorithm === 'SSE-C') return <Nothing>{objectText.clientsKey}</Nothing>
  if (object.size === 0) return <Nothing>{objectText.emptyObject}</Nothing>
  const kind = asText ? 'text' : kindOf(object)
  if (object.erased || (at !== undefined && kind !== 'text' && kind !== 'none'))
    return (
      <Suspense fallback={<Waiting />}>
        <Former object={object} kind={kind} {...(onFull ? { onFull } : {})} />
      </Suspense>
    )
  if (kind === 'picture') return <Picture object={object} {...(onFull ? { onFull } : {})} />
  if (kind === 'text' && !asText && isDrawing(object))
    return (
      <Suspense fallback={<Waiting />}>
        <Drawing object={object} {...(onFull ? { onFull } : {})} />
      </Suspense>
    )
  if (kind === 'text') return <Words object={object} />
  if (kind === 'none')
    return (
      <Nothing>
        {objectText.noPreview}
        <Button variant="subtle" onClick={() => setAsText(true)}>
          {objectText.showAsText}
        </Button>
      </Nothing>
    )
  return <Streamed object={object} kind={kind} />
}

/** Uses a URL for the browser's own viewers, which request ranges. */
function Streamed({ object, kind }: { object: StoredObject; kind: 'pdf' | 'video' | 'audio' }) {
  const { bucket, key, etag } = object
  const [broken, setBroken] = useState(false)
  const signed = useQuery({
    queryKey: ['signed', bucket, key, etag],
    queryFn: async () => {
      await assertReadable(bucket, key)
      return client.presignObject({ params: { bucket }, body: { key, expires_in: '1h', embed: true } })
    },
    staleTime: 30 * 60_000,
    gcTime: 30 * 60_000,
    refetchOnWindowFocus: false,
  })
  if (signed.error || broken) return <Broken error={signed.error} />
  if (!signed.data) return <Waiting />
  const src = ownUrl(signed.data.url)
  const name = objectText.contents(legible(key))
  if (kind === 'pdf') {
    // The browser's viewer shows the end of the address as the title, and saves the file under it.
    const end = encodeURIComponent(legible(nameOf(key, parentOf(key))) || text.noName)
    return <iframe className="contents contents-pdf" src={/^\.+$/.test(end) ? src : `${src}/${end}`} title={name} />
  }
  if (kind === 'audio')
    return (
      <div className="contents contents-none">
        {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
        <audio src={src} controls preload="metadata" aria-label={name} onError={() => setBroken(true)} />
      </div>
    )
  return (
    <div className="contents contents-picture">
      {/* biome-ignore lint/a11y/useMediaCaption: an object has none */}
      <video src={src} controls preload="metadata" aria-label={name} onError={() => setBroken(true)} />
    </div>
  )
}
