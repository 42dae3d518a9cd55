import { Alert, Button, SegmentedControl, Skeleton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { NewShare } from '../../../../contract/shares.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { pageUrl } from './describe.ts'
import { text } from './messages.ts'
import { WhoMayOpen } from './WhoMayOpen.tsx'

const QrCode = lazy(() => import('./QrCode.tsx'))

/** A link that was just made: the one time that it can be shown. */
export function CreatedLink({ share, again, onClose }: { share: NewShare; again: () => void; onClose: () => void }) {
  const [which, setWhich] = useState('page')
  const url = which === 'page' ? pageUrl(share.url) : share.url
  return (
    <div className="stack">
      <Alert title={text.made} role="status">
        {text.madeHint}
      </Alert>
      {share.kind === 'object' ? (
        <div className="stack-tight">
          <SegmentedControl
            aria-label={text.which}
            fullWidth
            data={[
              { value: 'page', label: text.page },
              { value: 'direct', label: text.direct },
            ]}
            value={which}
            onChange={setWhich}
          />
          <p className="dim small">{which === 'page' ? text.pageHint : text.directHint}</p>
        </div>
      ) : null}
      <CopyField label={text.link} value={url} mono />
      <WhoMayOpen kind={share.kind} hasPassword={share.has_password} expiresAt={share.expires_at} />
      <Suspense fallback={<Skeleton height={208} width={176} mx="auto" />}>
        <QrCode value={url} name="share-link" />
      </Suspense>
      <div className="dialog-actions">
        <Button variant="default" onClick={again}>
          {text.another}
        </Button>
        <Button onClick={onClose}>{text.done}</Button>
      </div>
    </div>
  )
}
