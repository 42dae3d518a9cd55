import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { StoredObject } from '../../../../../contract/objects.ts'
import { legible } from '../../../keys.ts'
import { objectText } from '../object-messages.ts'
import { Broken, Waiting } from './states.tsx'
import { Shown, useWhole } from './Whole.tsx'
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
          aria-label={objectText.showAs}
          data={[
            { value: 'picture', label: objectText.form('picture') },
            { value: 'source', label: objectText.source },
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
  const { src, error } = useWhole(object, { type: 'image/svg+xml' })
  if (error) return <Broken error={error} />
  if (!src) return <Waiting />
  return <Shown src={src} name={objectText.contents(legible(object.key))} onError={onBroken} onFull={onFull} />
}
