import { ActionIcon, Anchor } from '@mantine/core'
import { IconLoader2, IconX } from '@tabler/icons-react'
import { type MouseEvent, useSyncExternalStore } from 'react'
import type { Job } from '../../../../contract/jobs.ts'
import { currentMe, queries } from '../../api/queries.ts'
import { isUnreachable, untilReachable } from '../../api/reach.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { openView } from '../../navigation/history.ts'
import { Link } from '../../navigation/Link.tsx'
import { showInCorner } from '../../ui/corner.tsx'
import { notify } from '../../ui/notify.tsx'
import { forgetDeed, type Place } from '../../ui/undo.ts'
import { begun, isUndoable, undoJob, watched } from '../jobs/begin.ts'
import { isTaken, shortfallOf } from '../jobs/describe.ts'
import { text } from './messages.ts'

const POLL_MS = 1000

/** What keeps running when its view is left: jobs on the server, and zip downloads. */
interface Running {
  id: string
  label: string
  job?: Job
  stop?: () => void
}
let running: readonly Running[] = []
const listeners = new Set<() => void>()
function put(id: string, entry: Running | null): void {
  running = entry
    ? running.some((one) => one.id === id)
      ? running.map((one) => (one.id === id ? entry : one))
      : [...running, entry]
    : running.filter((one) => one.id !== id)
  showInCorner('browse', running.length === 0 ? null : <Corner />)
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Objects have changed: refetches everything that shows them. */
export const refreshObjects = () =>
  Promise.all(
    ['browse', 'object', 'versions', 'changes', 'bucket', 'buckets', 'trash', 'jobs'].map((name) =>
      queries.invalidateQueries({ queryKey: [name] }),
    ),
  )

const label = ({ kind, done, failed, total }: Job) => text.progress(text.working(kind), done + failed, total)
const isOver = ({ status }: Job) => status !== 'queued' && status !== 'running'
const visible = (): Promise<void> =>
  document.hidden
    ? new Promise((resolve) => document.addEventListener('visibilitychange', () => resolve(), { once: true }))
    : Promise.resolve()

/** The words for a number of objects. */
type Words = (n: number) => string

/**
 * Shows a job in the top bar until it ends, then its result, with undo if possible. `words` are those for its success,
 * where the job's kind does not say what the user did.
 */
export async function watchJob(started: Job, words?: Words): Promise<Job> {
  const job = await follow(started)
  if (isOver(job)) tell(job, words)
  return job
}

/** Shows a job in the top bar until it ends. One that cannot be followed any more is returned as it was. */
async function follow(started: Job): Promise<Job> {
  let job = started
  watched.add(job.id)
  put(job.id, { id: job.id, label: label(job), job })
  try {
    while (!isOver(job)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      await visible()
      job = await client.getJob({ params: { id: job.id } }).catch(async (error: unknown) => {
        if (!isUnreachable(error)) throw error
        await untilReachable()
        return job
      })
      put(job.id, { id: job.id, label: label(job), job })
    }
  } catch (error) {
    notify.problem(error)
  } finally {
    put(job.id, null)
    await refreshObjects()
  }
  return job
}

async function undo(job: Job): Promise<void> {
  try {
    await watchJob(await undoJob(job), job.kind === 'tag' ? text.tagsBack : undefined)
  } catch (error) {
    notify.problem(error)
  }
}

/** What a part of a deed did, and how that is undone; undoing says what failed and returns how many are back. */
export interface Part {
  done: number
  skipped: number
  back: (() => Promise<number>) | undefined
}
export const NO_PART: Part = { done: 0, skipped: 0, back: undefined }

const wordsOf =
  (kind: Job['kind']): Words =>
  (n) =>
    text.jobDone(text.worked(kind), n)
/** One sentence for what was done and what was not. */
export const summary = (done: string, skipped: number): string =>
  [done, skipped > 0 ? text.skipped(skipped) : ''].filter(Boolean).join(' · ')

/** One deed of many parts: what was done at once, and jobs. Says what all of it did in one notice, with one way back. */
export async function watchDeed(
  first: Part,
  { kind, jobs, place }: { kind: Job['kind']; jobs: readonly Job[]; place: Place },
): Promise<void> {
  const ended = await Promise.all(jobs.map(follow))
  const parts = [first, ...ended.map(partOf)]
  const done = sumOf(parts.map((part) => part.done))
  const skipped = sumOf(parts.map((part) => part.skipped))
  const changed = parts.filter((part) => part.done > 0)
  // Half of a deed is not taken back.
  const run = changed.every(({ back }) => back) ? () => void undoParts(changed, kind) : undefined
  if (changed.length === 0) forgetDeed(place)
  if (done + skipped > 0) {
    const said = summary(done > 0 ? wordsOf(kind)(done) : '', skipped)
    if (changed.length > 0) notify.ok(said, { place, run })
    else notify.note(said)
  }
  for (const job of ended) tellTrouble(job)
}
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0)

const partOf = (job: Job): Part => ({
  done: job.done,
  skipped: shortfallOf(job).skipped,
  back: isUndoable(job, currentMe())
    ? async () => {
        const undone = await follow(await undoJob(job))
        tellTrouble(undone)
        return undone.done
      }
    : undefined,
})

async function undoParts(parts: readonly Part[], kind: Job['kind']): Promise<void> {
  const counts = await Promise.all(
    parts.map(({ back }) =>
      back?.().catch((error: unknown) => {
        notify.problem(error)
        return 0
      }),
    ),
  )
  const back = sumOf(counts.map((count) => count ?? 0))
  if (back > 0) notify.note((kind === 'tag' ? text.tagsBack : wordsOf('restore'))(back))
  await refreshObjects()
}

function tell(job: Job, words = wordsOf(job.kind)): void {
  if (tellTrouble(job)) return
  const place = begun.get(job.id)
  const run = isUndoable(job, currentMe()) ? () => void undo(job) : undefined
  const said =
    job.status === 'cancelled'
      ? text.jobCancelled(text.operation(job.kind), job.done)
      : summary(words(job.done), shortfallOf(job).skipped)
  if (run) notify.ok(said, { place, run })
  else
    notify.note(
      job.status === 'cancelled' ? (
        said
      ) : (
        <>
          {said} {linkTo(job)}
        </>
      ),
    )
}

function linkTo(job: Job) {
  // Notices are rendered outside the router.
  const open = (event: MouseEvent) => {
    event.preventDefault()
    openView(`/jobs/${job.id}`)
  }
  return (
    <Anchor href={`/console/jobs/${job.id}`} onClick={open}>
      {text.jobs}
    </Anchor>
  )
}

/** Says what failed of a job; returns whether anything did. */
function tellTrouble(job: Job): boolean {
  const operation = text.operation(job.kind)
  const { failed } = shortfallOf(job)
  if (job.status === 'cancelled') return false
  if (job.status === 'failed') notify.failure(text.jobBroken(operation), job.detail)
  else if (failed > 0)
    notify.failure(
      text.jobFailed(operation, failed),
      <>
        {(job.errors.find(({ code }) => !isTaken(code)) ?? job.errors[0])?.detail} {linkTo(job)}
      </>,
    )
  return job.status === 'failed' || failed > 0
}

/** Fetches an archive with the session's token and saves it as a file. */
export const fetchZip = (name: string, ask: (signal: AbortSignal) => Promise<Response>): Promise<void> =>
  fetchFile({ name: `${name}.zip`, label: text.zipping }, ask)

/** Fetches contents with the session's token and saves them; `label` says how far that is. */
export async function fetchFile(
  { name, label }: { name: string; label: (bytes: string) => string },
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const id = `zip-${crypto.getRandomValues(new Uint32Array(1))[0]}`
  const stopping = new AbortController()
  const show = (bytes: number) => put(id, { id, label: label(formatBytes(bytes)), stop: () => stopping.abort() })
  show(0)
  try {
    const answer = await ask(stopping.signal)
    let bytes = 0
    let shown = 0
    const counted = answer.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length
          if (bytes - shown > 1_000_000) {
            shown = bytes
            show(shown)
          }
          controller.enqueue(chunk)
        },
      }),
    )
    // Browsers keep large blobs on disk.
    const file = await new Response(counted ?? null).blob()
    saveAs(URL.createObjectURL(file), name)
  } catch (error) {
    if (!stopping.signal.aborted) notify.problem(error)
  } finally {
    put(id, null)
  }
}

/** Saves the contents of a URL. Object URLs are released afterwards. */
export function saveAs(url: string, name = ''): void {
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  document.body.append(anchor)
  anchor.click()
  anchor.remove()
  if (url.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function Corner() {
  const shown = useSyncExternalStore(subscribe, () => running)
  return (
    <span className="running" role="status">
      {shown.map(({ id, label, job, stop }) => (
        <span key={id} className="running-one">
          <IconLoader2 size={15} className="spin" aria-hidden />
          {job ? <Link to={`/jobs/${job.id}`}>{label}</Link> : <span>{label}</span>}
          {stop ? (
            <ActionIcon aria-label={text.zipStop} size={24} onClick={stop}>
              <IconX size={14} />
            </ActionIcon>
          ) : null}
        </span>
      ))}
    </span>
  )
}
