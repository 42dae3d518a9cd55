import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { client } from '../../../api/session.ts'
import { legible } from '../../../keys.ts'
import { atOf, useAt } from '../../past/at.ts'
import { text } from '../messages.ts'
import { Zoomed } from './Picture.tsx'
import { Broken, Waiting } from './states.tsx'
import { Words } from './Words.tsx'

/**
 * An SVG as a picture, or as its source. In an image, browsers run no script of it and load nothing that it refers to;
 * what is no valid SVG has only its source.
 */
export default function Drawing({ object, onFull }: { object: StoredObject; onFull?: () => void }) {
  const [asSource, setAsSource] = useState(false)
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <Words object={object} />
  return (
    <div className="contents-drawing">
      <div className="contents-forms">
        <SegmentedControl
          size="xs"
          aria-label={text.showAs}
          data={[
            { value: 'picture', label: text.form('picture') },
            { value: 'source', label: text.source },
          ]}
          value={asSource ? 'source' : 'picture'}
          onChange={(value) => setAsSource(value === 'source')}
        />
      </div>
      {asSource ? (
        <Words object={object} />
      ) : (
        <Drawn object={object} onBroken={() => setBroken(true)} {...(onFull ? { onFull } : {})} />
      )}
    </div>
  )
}

function Drawn({ object, onBroken, onFull }: { object: StoredObject; onBroken: () => void; onFull?: () => void }) {
  const { bucket, key, etag } = object
  const at = useAt()
  const contents = useQuery({
    queryKey: ['drawing', bucket, key, etag, at ?? ''],
    queryFn: async () => {
      const answer = await client.getObjectByQuery({ params: { bucket }, query: { key, ...atOf(at) } })
      return new Blob([await answer.arrayBuffer()], { type: 'image/svg+xml' })
    },
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
  if (contents.error) return <Broken error={contents.error} />
  if (!src) return <Waiting />
  const alt = text.contents(legible(key))
  if (!onFull) return <Zoomed src={src} alt={alt} onError={onBroken} />
  return (
    <button type="button" className="contents contents-picture contents-open" title={text.fullScreen} onClick={onFull}>
      <img src={src} alt={alt} onError={onBroken} />
    </button>
  )
}
