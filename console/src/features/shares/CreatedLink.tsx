import { Alert, Button } from '@mantine/core'
import type { NewShare } from '../../../../contract/shares.ts'
import { LinkFields, useLink } from './LinkFields.tsx'
import { text } from './messages.ts'

/** A new link. `leave` closes it, or asks first while a link that is not stored has not been copied. */
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
  const link = useLink(share)
  const copy = async () => {
    if (!(await link.copy())) return
    onTaken()
    asked?.stay()
  }
  return (
    <div className="stack">
      <Alert title={text.made} role="status">
        {share.has_link ? text.keptHint : text.madeHint}
      </Alert>
      <LinkFields share={share} link={link} isTaken={isTaken} onCopy={() => void copy()} onTaken={onTaken} />
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
