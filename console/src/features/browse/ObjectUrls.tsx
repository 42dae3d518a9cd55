import { Button } from '@mantine/core'
import { IconShare3 } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { urlOf } from '../../../../client/derived.ts'
import { api } from '../../../../contract/index.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import { useMe } from '../../api/queries.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { ShareDialog } from '../shares/dialog.ts'
import { text } from './messages.ts'
import { objectText } from './object-messages.ts'
import { SignedUrl } from './SignedUrl.tsx'
import { isPictured } from './thumbnails.ts'

const ResizedImage = lazy(() => import('./ResizedImage.tsx'))

/** An object's API URL, presigned URL and share links, and those of a picture in other sizes. */
export function ObjectUrls({ object }: { object: StoredObject }) {
  const { bucket, key } = object
  const me = useMe()
  const [sharing, setSharing] = useState(false)
  return (
    <div className="stack details-facts">
      <CopyField
        label={objectText.apiUrl}
        hideLabel={false}
        mono
        value={urlOf(location.origin, api.getObjectByQuery, { params: { bucket }, query: { key } })}
      />
      <div className="stack-tight">
        <SignedUrl object={object} />
        <p className="dim small">{objectText.signedHint}</p>
      </div>
      {me.can('share', bucket, key) ? (
        <div className="stack-tight">
          <div>
            <Button variant="default" leftSection={<IconShare3 size={15} />} onClick={() => setSharing(true)}>
              {text.share}
            </Button>
          </div>
          <p className="dim small">{objectText.shareHint}</p>
        </div>
      ) : null}
      {isPictured(object) ? (
        <Suspense fallback={null}>
          <ResizedImage object={object} />
        </Suspense>
      ) : null}
      {sharing ? (
        <Suspense fallback={null}>
          <ShareDialog bucket={bucket} objectKey={key} onClose={() => setSharing(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}
