import { Button, Select } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { useState } from 'react'
import type { ImageQuery } from '../../../../contract/images.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'
import { formatBoth } from '../../i18n.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { notify } from '../../ui/notify.tsx'
import { objectText } from './object-messages.ts'

const spans = ['15m', '1h', '1d', '7d'] as const
type Span = (typeof spans)[number]

/** Creates presigned URLs of an object, or of an image of it. */
export function SignedUrl({ object: { bucket, key }, image }: { object: StoredObject; image?: ImageQuery }) {
  const [span, setSpan] = useState<Span>('1h')
  const [signed, setSigned] = useState<{ url: string; expires_at: string }>()
  const sign = async () => {
    try {
      const body = { key, expires_in: span, ...(image ? { image } : {}) }
      setSigned(await client.presignObject({ params: { bucket }, body }))
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <>
      <div className="details-sign">
        <Select
          label={objectText.expires}
          value={span}
          data={spans.map((value) => ({ value, label: objectText.expiry(value) }))}
          onChange={(value) => {
            setSpan((value as Span | null) ?? span)
            setSigned(undefined)
          }}
        />
        <Button variant="default" leftSection={<IconLink size={15} />} onClick={() => void sign()}>
          {image ? objectText.signImage : objectText.sign}
        </Button>
      </div>
      {signed ? (
        <>
          <CopyField label={image ? objectText.signedImageUrl : objectText.signedUrl} value={signed.url} mono />
          <p className="dim small">{objectText.expiresAt(formatBoth(signed.expires_at))}</p>
        </>
      ) : null}
    </>
  )
}
