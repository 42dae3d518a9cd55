import './shares.css'
import { Modal, SegmentedControl } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { NewShare, Share } from '../../../../contract/shares.ts'
import { legible } from '../../keys.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { CreatedLink } from './CreatedLink.tsx'
import { type Each, MadeEach, type MadeLinks, mayLeave, NewEach } from './EachLink.tsx'
import { ExistingLinks } from './ExistingLinks.tsx'
import { KeptLink } from './KeptLink.tsx'
import { text } from './messages.ts'
import { NewLink, type Target } from './NewLink.tsx'

interface Props {
  bucket: string
  /** What the link opens: one of the four. */
  objectKey?: string
  /** A folder; '' is the whole bucket. */
  prefix?: string
  /** A selection. */
  keys?: readonly string[]
  /** Everything that is found, which only gets a link to each. */
  found?: Each | undefined
  /** Starts with an upload link. */
  takes?: boolean
  onClose: () => void
}

const lastName = (key: string): string => key.split('/').findLast((segment) => segment !== '') ?? key

/** Creates a download or upload link for an object, a folder or a selection, and lists the existing ones. */
export default function ShareDialog(props: Props) {
  const { keys, found } = props
  const [wantsEach, setWantsEach] = useState(false)
  if (found !== undefined) return <EachDialog {...props} each={found} />
  if (keys === undefined) return <OneDialog {...props} />
  const choice = (
    <SegmentedControl
      aria-label={text.whichLinks}
      fullWidth
      data={[
        { value: 'one', label: text.oneLink },
        { value: 'each', label: text.eachLink },
      ]}
      value={wantsEach ? 'each' : 'one'}
      onChange={(value) => setWantsEach(value === 'each')}
    />
  )
  return wantsEach ? (
    <EachDialog {...props} each={{ keys: [...keys] }} choice={choice} />
  ) : (
    <OneDialog {...props} choice={choice} />
  )
}

/** A link to each object. */
function EachDialog({ bucket, each, choice, onClose }: Props & { each: Each; choice?: ReactNode }) {
  const [made, setMade] = useState<MadeLinks>()
  const [isTaken, setTaken] = useState(false)
  const leave = async () => {
    if (await mayLeave(made === undefined || made.items.length === 0 || isTaken)) onClose()
  }
  return (
    <Modal
      opened
      onClose={() => void leave()}
      title={'keys' in each ? text.shareSelection(each.keys.length) : text.shareFound}
      size="lg"
      closeOnClickOutside={made === undefined}
    >
      {made ? (
        <MadeEach
          bucket={bucket}
          made={made}
          isTaken={isTaken}
          onTaken={() => setTaken(true)}
          onLeave={() => void leave()}
          onUndone={onClose}
        />
      ) : (
        <div className="stack">
          {choice}
          <NewEach bucket={bucket} each={each} onMade={setMade} onClose={onClose} />
        </div>
      )}
    </Modal>
  )
}

/** One link to all of it. */
function OneDialog({
  bucket,
  objectKey,
  prefix,
  keys,
  takes: startsTaking = false,
  choice,
  onClose,
}: Props & { choice?: ReactNode }) {
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
      : (takes ? text.requestTitle : text.shareTitle)(legible(target.name))
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
          {choice}
          <NewLink target={target} takes={startsTaking} onTakes={setTakes} onMade={setMade} onClose={onClose} />
          {target.kind === 'selection' ? null : <ExistingLinks target={target} onShow={setShown} />}
        </div>
      )}
    </Modal>
  )
}
