import { Alert, Button, SegmentedControl, Skeleton, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { NewShare } from '../../../../contract/shares.ts'
import { copyText } from '../../ui/copy.ts'
import { pageUrl } from './describe.ts'
import { text } from './messages.ts'
import { WhoMayOpen } from './WhoMayOpen.tsx'

const QrCode = lazy(() => import('./QrCode.tsx'))

/** A new link, shown this one time. `leave` closes it, or asks first while the link has not been copied. */
export function CreatedLink({
  share,
  isTaken,
  onTaken,
  leave,
  asked,
  again,
  onClose,
}: {
  share: NewShare
  /** It was copied, or saved as a QR code. */
  isTaken: boolean
  onTaken: () => void
  leave: (how: () => void) => void
  /** What continues once the user agrees to leave without the link. */
  asked: { go: () => void; stay: () => void } | undefined
  again: () => void
  onClose: () => void
}) {
  const [which, setWhich] = useState('page')
  /** For the button's label at this address. */
  const [isCopied, setCopied] = useState(false)
  const url = which === 'page' ? pageUrl(share.url) : share.url
  const copy = async () => {
    if (!(await copyText(url))) return
    setCopied(true)
    onTaken()
    asked?.stay()
  }
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
            onChange={(next) => {
              setWhich(next)
              setCopied(false)
            }}
          />
          <p className="dim small">{which === 'page' ? text.pageHint : text.directHint}</p>
        </div>
      ) : null}
      <div className="shares-link">
        <TextInput
          className="copy-field mono"
          aria-label={text.link}
          value={url}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onTaken}
        />
        <Button
          data-autofocus
          variant={isTaken ? 'default' : 'filled'}
          leftSection={isCopied ? <IconCheck size={16} className="ok" /> : <IconCopy size={16} stroke={1.6} />}
          onClick={() => void copy()}
        >
          {isCopied ? text.linkCopied : text.copyLink}
        </Button>
        <span className="visually-hidden" role="status">
          {isCopied ? text.linkCopied : ''}
        </span>
      </div>
      <WhoMayOpen kind={share.kind} hasPassword={share.has_password} expiresAt={share.expires_at} />
      <Suspense fallback={<Skeleton height={208} width={176} mx="auto" />}>
        <QrCode value={url} name="share-link" onSaved={onTaken} />
      </Suspense>
      {asked ? (
        <>
          <Alert role="alert" color="danger" className="alert-bad" title={text.leaveTitle}>
            {text.leaveText}
          </Alert>
          <div className="dialog-actions">
            <Button variant="default" onClick={asked.go}>
              {text.leaveAction}
            </Button>
            <Button onClick={() => void copy()}>{text.copyLink}</Button>
          </div>
        </>
      ) : (
        <div className="dialog-actions">
          <Button variant="default" onClick={() => leave(again)}>
            {text.another}
          </Button>
          <Button variant={isTaken ? 'filled' : 'default'} onClick={() => leave(onClose)}>
            {text.done}
          </Button>
        </div>
      )}
    </div>
  )
}
