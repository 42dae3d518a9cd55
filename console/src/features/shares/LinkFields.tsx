import { Button, SegmentedControl, Skeleton, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { NewShare, Share } from '../../../../contract/shares.ts'
import { copyText } from '../../ui/copy.ts'
import { text } from './messages.ts'
import { WhoMayOpen } from './WhoMayOpen.tsx'

const QrCode = lazy(() => import('./QrCode.tsx'))

/** Which of a link's two addresses is shown, and copying it. */
export function useLink({ page_url, url: direct }: Pick<NewShare, 'url' | 'page_url'>) {
  const [which, setWhich] = useState('page')
  /** For the button's label at this address. */
  const [isCopied, setCopied] = useState(false)
  const url = which === 'page' ? page_url : direct
  return {
    which,
    url,
    isCopied,
    choose(next: string) {
      setWhich(next)
      setCopied(false)
    },
    /** Whether the browser allowed it. */
    async copy(): Promise<boolean> {
      const done = await copyText(url)
      if (done) setCopied(true)
      return done
    },
  }
}

/** A link to copy, or to save as a QR code. */
export function LinkFields({
  share,
  link,
  isTaken,
  onCopy,
  onTaken,
}: {
  share: Pick<Share, 'kind' | 'has_password' | 'expires_at'>
  link: ReturnType<typeof useLink>
  /** Copying is no longer the first thing to do. */
  isTaken: boolean
  onCopy: () => void
  /** It was copied by hand, or saved. */
  onTaken: () => void
}) {
  return (
    <>
      {share.kind === 'object' ? (
        <div className="stack-tight">
          <SegmentedControl
            aria-label={text.which}
            fullWidth
            data={[
              { value: 'page', label: text.page },
              { value: 'direct', label: text.direct },
            ]}
            value={link.which}
            onChange={link.choose}
          />
          <p className="dim small">{link.which === 'page' ? text.pageHint : text.directHint}</p>
        </div>
      ) : null}
      <div className="shares-link">
        <TextInput
          className="copy-field mono"
          aria-label={text.link}
          value={link.url}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onTaken}
        />
        <Button
          data-autofocus
          variant={isTaken ? 'default' : 'filled'}
          leftSection={link.isCopied ? <IconCheck size={16} className="ok" /> : <IconCopy size={16} stroke={1.6} />}
          onClick={onCopy}
        >
          {link.isCopied ? text.linkCopied : text.copyLink}
        </Button>
        <span className="visually-hidden" role="status">
          {link.isCopied ? text.linkCopied : ''}
        </span>
      </div>
      <WhoMayOpen kind={share.kind} hasPassword={share.has_password} expiresAt={share.expires_at} />
      <Suspense fallback={<Skeleton height={208} width={176} mx="auto" />}>
        <QrCode value={link.url} name="share-link" onSaved={onTaken} />
      </Suspense>
    </>
  )
}
