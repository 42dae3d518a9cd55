import { ActionIcon, Button } from '@mantine/core'
import {
  IconAlertTriangle,
  IconBucketOff,
  IconCheck,
  IconChevronDown,
  IconChevronRight,
  IconClock,
  IconFolder,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconRefresh,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { formatBytes, formatCount } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Bar } from './Bar.tsx'
import { type Item, SMALL_BYTES, type State } from './engine/item.ts'
import type { Group, Snapshot } from './engine/store.ts'
import { engine } from './instance.ts'
import { text } from './messages.ts'

const SHOWN = 100
/** Above this number, files are grouped by folder. */
const GROUPED = 50
/** How many grouped files that need attention or are uploading are shown individually. */
const SINGLED_OUT = 20

const icons: Record<State, { icon: typeof IconX; tone: string }> = {
  error: { icon: IconAlertTriangle, tone: 'bad' },
  conflict: { icon: IconAlertTriangle, tone: 'warn' },
  running: { icon: IconLoader2, tone: '' },
  completing: { icon: IconLoader2, tone: '' },
  full: { icon: IconBucketOff, tone: 'warn' },
  paused: { icon: IconPlayerPause, tone: 'dim' },
  checking: { icon: IconClock, tone: 'dim' },
  queued: { icon: IconClock, tone: 'dim' },
  lost: { icon: IconRefresh, tone: 'warn' },
  done: { icon: IconCheck, tone: 'ok' },
  skipped: { icon: IconPlayerSkipForward, tone: 'dim' },
  cancelled: { icon: IconX, tone: 'dim' },
}
const words: Record<State, string> = {
  error: text.error,
  conflict: text.conflict,
  running: text.running,
  completing: text.completing,
  full: text.full,
  paused: text.paused,
  checking: text.checking,
  queued: text.queued,
  lost: text.lostState,
  done: text.done,
  skipped: text.skipped,
  cancelled: text.cancelled,
}

const isOfThisPage = ({ state }: Item): boolean => state !== 'lost'

/** Files that an earlier page left unfinished. */
export function LostRows({ now }: { now: Snapshot }) {
  const lost = engine.store.those('lost')
  const rows = engine.store.rows(SHOWN, lost)
  return (
    <ul className="uploads-rows">
      {rows.map((item) => (
        <Row key={item.id} item={item} now={now} />
      ))}
      {lost.size > rows.length ? <li className="uploads-row dim">{text.moreRows(lost.size - rows.length)}</li> : null}
    </ul>
  )
}

/** Up to 100 files, those that need attention first. Many files are grouped by folder. */
export function DockRows({ now, decide }: { now: Snapshot; decide: () => void }) {
  const { store } = engine
  const [opened, setOpened] = useState<string>()
  const total = store.items.size - now.counts.lost
  if (total === 0) return null
  if (total <= GROUPED) {
    const rows = store.rows(SHOWN, [...store.items.values()].filter(isOfThisPage))
    return (
      <ul className="uploads-rows">
        {rows.map((item) => (
          <Row key={item.id} item={item} now={now} decide={decide} />
        ))}
      </ul>
    )
  }
  const urgent = (['error', 'conflict', 'running', 'completing'] as const)
    .flatMap((state) => [...store.those(state)])
    // Small files finish before they can be read, and drawing each takes longer than sending it. Their folder
    // represents them.
    .filter(({ state, size }) => state === 'error' || state === 'conflict' || size > SMALL_BYTES)
  const single = urgent.slice(0, SINGLED_OUT)
  const groups = now.groups.filter(({ items, counts }) => counts.lost < items.size).slice(0, SHOWN - single.length)
  const inside = groups.find(({ key }) => key === opened)
  const room = Math.max(10, SHOWN - single.length - groups.length)
  return (
    <ul className="uploads-rows">
      {single.map((item) => (
        <Row key={item.id} item={item} now={now} decide={decide} />
      ))}
      {groups.map((group) => (
        <GroupRow
          key={group.key}
          group={group}
          open={group === inside}
          toggle={() => setOpened((was) => (was === group.key ? undefined : group.key))}
        >
          {group === inside
            ? store
                .rows(room, [...group.items].filter(isOfThisPage))
                .map((item) => <Row key={item.id} item={item} now={now} decide={decide} inner />)
            : null}
          {group === inside && group.items.size - group.counts.lost > room ? (
            <li className="uploads-row dim">{text.moreRows(group.items.size - group.counts.lost - room)}</li>
          ) : null}
        </GroupRow>
      ))}
    </ul>
  )
}

function GroupRow({
  group,
  open,
  toggle,
  children,
}: {
  group: Group
  open: boolean
  toggle: () => void
  children: React.ReactNode
}) {
  const { counts, items, bytes, sent } = group
  const name = legible(group.name) || text.loose
  const all = items.size - counts.cancelled - counts.skipped - counts.lost
  const percent = bytes > 0 ? (sent / bytes) * 100 : 100
  return (
    <>
      <li className="uploads-row">
        <ActionIcon aria-expanded={open} aria-label={text.showGroup(name)} onClick={toggle}>
          {open ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
        </ActionIcon>
        <IconFolder size={15} aria-hidden className="uploads-folder" />
        <span className="uploads-name clip" title={name}>
          <bdi>{name}</bdi>
        </span>
        <span className="dim small number">{text.groupState(counts.done, all)}</span>
        {counts.done < all ? (
          <Bar percent={percent} label={name} />
        ) : (
          <IconCheck size={15} className="ok" aria-hidden />
        )}
      </li>
      {children}
    </>
  )
}

/** What becomes of a file. */
function wordOf({ state, clash }: Item, { held, offline }: Pick<Snapshot, 'held' | 'offline'>): string {
  const waits = state === 'queued' || state === 'checking'
  if (waits && held) return text.held
  if (offline && (waits || state === 'running')) return text.noConnection
  return state === 'conflict' && clash?.identical ? text.conflictIdentical : words[state]
}

function Row({
  item,
  now: { held, offline },
  decide,
  inner = false,
}: {
  item: Item
  now: Snapshot
  decide?: () => void
  inner?: boolean
}) {
  const { state, path, size, sent, problem } = item
  const { icon: Icon, tone } = icons[state]
  const word = wordOf(item, { held, offline })
  const name = legible(path.slice(path.lastIndexOf('/') + 1))
  const line =
    state === 'lost' && sent > 0
      ? `${text.arrivedOf(formatBytes(sent), formatBytes(size))} · ${word}`
      : `${word} · ${formatBytes(size)}`
  const moves = state === 'running' || (state === 'paused' && sent > 0)
  return (
    <li className={inner ? 'uploads-row uploads-inner' : 'uploads-row'} data-state={state}>
      <Icon size={15} aria-hidden className={tone} />
      <span className="uploads-text">
        <span className="clip" title={legible(item.key)}>
          <bdi>{name}</bdi>
        </span>
        <span className={`small clip ${state === 'error' ? 'bad' : 'dim'}`} title={problem?.detail}>
          {problem && state !== 'full' ? `${word}: ${problem.title}` : line}
        </span>
      </span>
      {moves && size > 0 ? <Bar percent={(sent / size) * 100} label={`${name}, ${formatCount(size)} B`} /> : null}
      <RowActions item={item} name={name} decide={decide} />
    </li>
  )
}

function RowActions({ item, name, decide }: { item: Item; name: string; decide: (() => void) | undefined }) {
  const { state } = item
  const pausable = state === 'running' || state === 'queued' || state === 'checking'
  const over = state === 'done' || state === 'skipped' || state === 'cancelled' || state === 'completing'
  return (
    <span className="uploads-actions">
      {pausable ? (
        <ActionIcon aria-label={text.pause(name)} onClick={() => engine.pause(item)}>
          <IconPlayerPause size={15} stroke={1.6} />
        </ActionIcon>
      ) : null}
      {state === 'paused' ? (
        <ActionIcon aria-label={text.resume(name)} onClick={() => engine.resume(item)}>
          <IconPlayerPlay size={15} stroke={1.6} />
        </ActionIcon>
      ) : null}
      {state === 'error' || state === 'full' ? (
        <ActionIcon aria-label={text.retry(name)} onClick={() => engine.resume(item)}>
          <IconRefresh size={15} stroke={1.6} />
        </ActionIcon>
      ) : null}
      {state === 'conflict' ? (
        <Button variant="default" size="compact-xs" onClick={decide}>
          {text.decide}
        </Button>
      ) : null}
      {over ? null : (
        <ActionIcon aria-label={text.cancel(name)} onClick={() => engine.cancel(item)}>
          <IconX size={15} stroke={1.6} />
        </ActionIcon>
      )}
    </span>
  )
}
