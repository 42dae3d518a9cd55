import './shares.css'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { NewShare, Share } from '../../../../contract/shares.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { CreatedLink } from './CreatedLink.tsx'
import { ExistingLinks } from './ExistingLinks.tsx'
import { KeptLink } from './KeptLink.tsx'
import { text } from './messages.ts'
import { NewLink, type Target } from './NewLink.tsx'

interface Props {
  bucket: string
  /** What the link opens: one of the three. */
  objectKey?: string
  /** A folder; '' is the whole bucket. */
  prefix?: string
  /** A selection. */
  keys?: readonly string[]
  /** Starts with an upload link. */
  takes?: boolean
  onClose: () => void
}

const lastName = (key: string): string => key.split('/').findLast((segment) => segment !== '') ?? key

/** Creates a download or upload link for an object, a folder or a selection, and lists the existing ones. */
export default function ShareDialog({ bucket, objectKey, prefix, keys, takes: startsTaking = false, onClose }: Props) {
  // The link is only in this dialog's state and disappears with it; its creator can get it again if it is stored.
  const [made, setMade] = useState<NewShare>()
  const [takes, setTakes] = useState(startsTaking)
  const [isTaken, setTaken] = useState(false)
  const [leaving, setLeaving] = useState<{ go: () => void }>()
  const [shown, setShown] = useState<Share>()
  const isAtRisk = made !== undefined && !made.has_link && !isTaken
  useLeaveGuard(isAtRisk)
  const leave = (go: () => void) => (isAtRisk ? setLeaving({ go }) : go())
  const stay = () => setLeaving(undefined)
  const again = () => {
    stay()
    setTaken(false)
    setMade(undefined)
  }
  const target: Target =
    objectKey !== undefined
      ? { bucket, kind: 'object', key: objectKey, name: lastName(objectKey) }
      : keys !== undefined
        ? { bucket, kind: 'selection', keys, name: bucket }
        : { bucket, kind: 'folder', prefix: prefix ?? '', name: lastName(prefix || bucket) }
  const title =
    target.kind === 'selection'
      ? text.shareSelection(target.keys.length)
      : (takes ? text.requestTitle : text.shareTitle)(target.name)
  return (
    <Modal
      opened
      // Escape dismisses the question and does not close the dialog as well.
      onClose={() => (leaving ? stay() : leave(onClose))}
      title={title}
      size="lg"
      closeOnClickOutside={made === undefined}
    >
      {made ? (
        <CreatedLink
          share={made}
          isTaken={isTaken}
          onTaken={() => setTaken(true)}
          leave={leave}
          asked={leaving && { go: leaving.go, stay }}
          again={again}
          onClose={onClose}
        />
      ) : shown ? (
        <KeptLink share={shown} onDone={{ label: text.back, go: () => setShown(undefined) }} />
      ) : (
        <div className="stack">
          <NewLink target={target} takes={startsTaking} onTakes={setTakes} onMade={setMade} onClose={onClose} />
          {target.kind === 'selection' ? null : <ExistingLinks target={target} onShow={setShown} />}
        </div>
      )}
    </Modal>
  )
}
