import { ActionIcon, Button } from '@mantine/core'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconChevronUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { bucketQuery, roomIn, totalsOf } from '../../api/buckets.ts'
import { formatBytes, formatDuration } from '../../i18n.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { Bar } from './Bar.tsx'
import { DockRows, LostRows } from './DockRows.tsx'
import { type Found, readHandles, readPicked } from './engine/drop.ts'
import { unsent } from './engine/item.ts'
import type { Snapshot, Waiting } from './engine/store.ts'
import { engine, useUploads } from './instance.ts'
import { text } from './messages.ts'
import { PickButton } from './PickButton.tsx'

const sum = (counts: Snapshot['counts'], states: readonly (keyof Snapshot['counts'])[]) =>
  states.reduce((total, state) => total + counts[state], 0)

function titleOf({ counts, files, held, offline }: Snapshot): string {
  const left = sum(counts, unsent)
  if (left === 0 && counts.lost > 0) return text.resumableTitle(counts.lost)
  if (left === 0) return text.finished(counts.done)
  if (held) return text.heldTitle(counts.done, files)
  const moves = sum(counts, ['running', 'queued', 'checking', 'completing']) > 0
  return moves && !offline ? text.uploading(counts.done, files) : text.waitingTitle(counts.done, files)
}

/** The list of uploads at the bottom of the page. */
export function Dock({
  open,
  setOpen,
  hide,
  decide,
}: {
  open: boolean
  setOpen: (open: boolean) => void
  /** Leaves only its button in the top bar. */
  hide: () => void
  decide: () => void
}) {
  const now = useUploads()
  const { counts, bytes, sent, rate, held } = now
  const left = sum(counts, unsent)
  const percent = bytes === 0 ? 100 : (sent / bytes) * 100
  const title = titleOf(now)
  const canPause = sum(counts, ['running', 'queued', 'checking']) > 0 && !held
  const canResume = held || counts.paused > 0

  const cancelAll = async () => {
    const yes = await confirm({
      title: `${text.cancelAll}?`,
      children: text.cancelAllQuestion(left),
      action: text.cancelAll,
    })
    if (yes) engine.cancelAll()
  }
  return (
    <section className="uploads-dock" aria-label={text.uploads} data-open={open || undefined}>
      <header className="uploads-head">
        <h2 className="clip">{title}</h2>
        {!open && left === 0 && counts.lost > 0 ? (
          <>
            <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
              {text.goOn}
            </Button>
            <Button variant="subtle" size="compact-sm" onClick={() => void discardLost()}>
              {text.discard}
            </Button>
          </>
        ) : null}
        {canPause ? (
          <ActionIcon aria-label={text.pauseAll} title={text.pauseAll} onClick={() => engine.pauseAll()}>
            <IconPlayerPause size={16} stroke={1.6} />
          </ActionIcon>
        ) : null}
        {canResume ? (
          <ActionIcon aria-label={text.resumeAll} title={text.resumeAll} onClick={() => engine.resumeAll()}>
            <IconPlayerPlay size={16} stroke={1.6} />
          </ActionIcon>
        ) : null}
        <ActionIcon
          aria-label={open ? text.collapse : text.expand}
          title={open ? text.collapse : text.expand}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? <IconChevronDown size={16} stroke={1.6} /> : <IconChevronUp size={16} stroke={1.6} />}
        </ActionIcon>
        {left + counts.lost === 0 ? (
          <ActionIcon aria-label={text.closeDock} title={text.closeDock} onClick={() => engine.clear()}>
            <IconX size={16} stroke={1.6} />
          </ActionIcon>
        ) : left > 0 ? (
          <ActionIcon aria-label={text.cancelAll} title={text.cancelAll} onClick={cancelAll}>
            <IconX size={16} stroke={1.6} />
          </ActionIcon>
        ) : (
          <ActionIcon aria-label={text.hideDock} title={text.hideDock} onClick={hide}>
            <IconX size={16} stroke={1.6} />
          </ActionIcon>
        )}
      </header>
      {left > 0 ? (
        <div className="uploads-total">
          <Bar percent={percent} label={title} />
          <p className="dim small uploads-figures">
            <span>{text.progress(formatBytes(sent), formatBytes(bytes))}</span>
            {now.offline ? <span className="warn">{text.noConnection}</span> : null}
            {rate === null || held || now.offline ? null : (
              <>
                <span>{text.rate(formatBytes(rate))}</span>
                {rate > 0 ? <span>{text.left(formatDuration((bytes - sent) / rate))}</span> : null}
              </>
            )}
          </p>
        </div>
      ) : counts.lost > 0 ? (
        <Arrived label={title} />
      ) : null}
      {open ? (
        <>
          <Notices now={now} decide={decide} />
          <DockRows now={now} decide={decide} />
          {counts.lost > 0 ? <Interrupted now={now} apart={left > 0} /> : null}
        </>
      ) : null}
      <Announcer now={now} />
    </section>
  )
}

/** How much of what was interrupted is on the server. */
function Arrived({ label }: { label: string }) {
  const lost = [...engine.store.those('lost')]
  const [arrived, size] = [lost.reduce((n, { sent }) => n + sent, 0), lost.reduce((n, item) => n + item.size, 0)]
  if (arrived === 0) return null
  return (
    <div className="uploads-total">
      <Bar percent={(arrived / size) * 100} label={label} />
      <p className="dim small uploads-figures">{text.arrivedOf(formatBytes(arrived), formatBytes(size))}</p>
    </div>
  )
}

const Notice = ({ children, actions }: { children: ReactNode; actions?: ReactNode }) => (
  <div className="uploads-notice">
    <IconAlertTriangle size={15} aria-hidden className="warn" />
    <span>{children}</span>
    {actions ? <span className="uploads-notice-actions">{actions}</span> : null}
  </div>
)

/** What uploads wait for and the user can act on. */
function Notices({ now, decide }: { now: Snapshot; decide: () => void }) {
  const { counts, offline, full } = now
  return (
    <>
      {offline ? <Notice>{text.offline}</Notice> : null}
      {[...full].map(([bucket, waiting]) => (
        <Full key={bucket} bucket={bucket} waiting={waiting} />
      ))}
      {counts.conflict > 0 ? (
        <Notice
          actions={
            <Button variant="default" onClick={decide}>
              {text.decide}
            </Button>
          }
        >
          {text.conflicts(counts.conflict)}
        </Notice>
      ) : null}
      {counts.error > 0 ? (
        <div className="uploads-notice">
          <span className="uploads-notice-actions">
            <Button variant="default" onClick={() => engine.retryAll()}>
              {text.retryAll(counts.error)}
            </Button>
          </span>
        </div>
      ) : null}
    </>
  )
}

/** What an earlier page left unfinished, apart from what is being uploaded now. */
const Interrupted = ({ now, apart }: { now: Snapshot; apart: boolean }) => (
  <>
    {apart ? <h3 className="uploads-earlier">{text.earlier}</h3> : null}
    <Lost count={now.counts.lost} />
    <LostRows now={now} />
  </>
)

/** A bucket without room: how much is missing, and all that waits for it is tried together. */
function Full({ bucket, waiting: { files, bytes, detail } }: { bucket: string; waiting: Waiting }) {
  const { data } = useQuery(bucketQuery(bucket))
  const missing = data ? bytes - (roomIn(data) ?? bytes) : 0
  return (
    <Notice
      actions={
        <Button variant="default" onClick={() => engine.reopen(bucket)}>
          {text.tryAgain}
        </Button>
      }
    >
      {missing > 0 ? text.bucketFull(bucket, files, formatBytes(missing)) : text.bucketStopped(detail, files)}
      {data && totalsOf(data) ? ` ${text.continues}` : null}
    </Notice>
  )
}

/** Forgets interrupted uploads, once the user agrees. */
async function discardLost(): Promise<void> {
  const lost = [...engine.store.those('lost')]
  const yes = await confirm({
    title: `${text.discard}?`,
    children: text.discardQuestion(lost.length),
    action: text.discard,
  })
  if (!yes) return
  for (const item of lost) engine.cancel(item)
  // Nothing else is listed: the list has said all it had to.
  if (engine.store.count(...unsent) === 0) engine.clear()
}

/** Interrupted uploads: the user has to choose their files again, unless the browser still has handles. */
function Lost({ count }: { count: number }) {
  const [busy, setBusy] = useState(false)
  const [known] = useState(() => [...new Set([...engine.store.those('lost')].flatMap(({ batch }) => batch.handles))])
  const hasFolder = [...engine.store.those('lost')].some(({ path }) => path.includes('/'))
  const attach = async (found: readonly Found[] | undefined) => {
    if (!found) return notify.problem(new Error(text.notAllowed))
    setBusy(true)
    const n = await engine.reattach(found)
    setBusy(false)
    if (n === 0) notify.problem(new Error(text.attached(0)))
    else notify.ok(text.attached(n))
  }
  const actions = (
    <>
      {known.length > 0 ? (
        <Button loading={busy} onClick={async () => attach(await readHandles(known))}>
          {text.goOn}
        </Button>
      ) : null}
      <PickButton label={text.chooseFiles} disabled={busy} onPick={(files) => void attach(readPicked(files))} />
      {hasFolder ? (
        <PickButton
          label={text.chooseFolder}
          disabled={busy}
          folder
          onPick={(files) => void attach(readPicked(files))}
        />
      ) : null}
      <Button variant="subtle" disabled={busy} onClick={() => void discardLost()}>
        {text.discard}
      </Button>
    </>
  )
  return <Notice actions={actions}>{text.lost(count)}</Notice>
}

/** Announces to screen readers that everything is uploaded, or that a decision or room is needed. */
function Announcer({ now: { counts } }: { now: Snapshot }) {
  const [words, setWords] = useState('')
  const before = useRef({ left: 0, conflict: 0, full: 0 })
  const left = sum(counts, unsent)
  const { conflict, full, done } = counts
  useEffect(() => {
    const was = before.current
    if (left === 0 && was.left > 0) setWords(text.finished(done))
    else if (conflict > 0 && was.conflict === 0) setWords(text.conflicts(conflict))
    else if (full > 0 && was.full === 0) setWords(text.full)
    before.current = { left, conflict, full }
  }, [left, conflict, full, done])
  return (
    <span className="visually-hidden" role="status">
      {words}
    </span>
  )
}
