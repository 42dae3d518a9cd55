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
import { isUndoable, undoJob, watched } from '../jobs/begin.ts'
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

/**
 * Shows a job in the top bar until it ends, then its result, with undo if possible. `words` are those for its success,
 * from the number of objects, where the job's kind does not say what the user did.
 */
export async function watchJob(begun: Job, words?: (n: number) => string): Promise<Job> {
  let job = begun
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
    tell(job, words)
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
    await watchJob(await undoJob(job))
  } catch (error) {
    notify.problem(error)
  }
}

function tell(job: Job, words = (n: number) => text.jobDone(text.worked(job.kind), n)): void {
  const operation = text.operation(job.kind)
  const { skipped, failed } = shortfallOf(job)
  const done = [words(job.done), ...(skipped > 0 ? [text.skipped(skipped)] : [])].join(' · ')
  // Notices are rendered outside the router.
  const open = (event: MouseEvent) => {
    event.preventDefault()
    openView(`/jobs/${job.id}`)
  }
  const link = (
    <Anchor href={`/console/jobs/${job.id}`} onClick={open}>
      {text.jobs}
    </Anchor>
  )
  const back = isUndoable(job, currentMe()) ? () => void undo(job) : undefined
  if (job.status === 'cancelled') notify.ok(text.jobCancelled(operation, job.done), back)
  else if (job.status === 'failed') notify.failure(text.jobBroken(operation), job.detail)
  else if (failed > 0)
    notify.failure(
      text.jobFailed(operation, failed),
      <>
        {(job.errors.find(({ code }) => !isTaken(code)) ?? job.errors[0])?.detail} {link}
      </>,
    )
  else if (back) notify.ok(done, back)
  else
    notify.ok(
      <>
        {done} {link}
      </>,
    )
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
