import { Button, Select } from '@mantine/core'
import { IconLink, IconShare3 } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { urlOf } from '../../../../contract/client.ts'
import { api } from '../../../../contract/index.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBoth } from '../../i18n.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { notify } from '../../ui/notify.tsx'
import { ShareDialog } from '../shares/dialog.ts'
import { text } from './messages.ts'

const spans = ['15m', '1h', '1d', '7d'] as const
type Span = (typeof spans)[number]

/** An object's API URL, presigned URL and share links. */
export function ObjectUrls({ object: { bucket, key } }: { object: StoredObject }) {
  const me = useMe()
  const [span, setSpan] = useState<Span>('1h')
  const [signed, setSigned] = useState<{ url: string; expires_at: string }>()
  const [sharing, setSharing] = useState(false)
  const sign = async () => {
    try {
      setSigned(await client.presignObject({ params: { name: bucket }, body: { key, expires_in: span } }))
    } catch (error) {
      notify.problem(error)
    }
  }
  return (
    <div className="stack details-facts">
      <CopyField
        label={text.apiUrl}
        hideLabel={false}
        mono
        value={urlOf(location.origin, api.getObjectByQuery, { params: { name: bucket }, query: { key } })}
      />
      <div className="stack-tight">
        <div className="details-sign">
          <Select
            label={text.expires}
            value={span}
            data={spans.map((value) => ({ value, label: text.expiry(value) }))}
            onChange={(value) => {
              setSpan((value as Span | null) ?? span)
              setSigned(undefined)
            }}
          />
          <Button variant="default" leftSection={<IconLink size={15} />} onClick={() => void sign()}>
            {text.sign}
          </Button>
        </div>
        {signed ? (
          <>
            <CopyField label={text.signedUrl} value={signed.url} mono />
            <p className="dim small">{text.expiresAt(formatBoth(signed.expires_at))}</p>
          </>
        ) : null}
        <p className="dim small">{text.signedHint}</p>
      </div>
      {me.can('share', bucket, key) ? (
        <div className="stack-tight">
          <div>
            <Button variant="default" leftSection={<IconShare3 size={15} />} onClick={() => setSharing(true)}>
              {text.share}
            </Button>
          </div>
          <p className="dim small">{text.shareHint}</p>
        </div>
      ) : null}
      {sharing ? (
        <Suspense fallback={null}>
          <ShareDialog bucket={bucket} objectKey={key} onClose={() => setSharing(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}
