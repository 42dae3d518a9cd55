import { contentsUrl, type ShareInfo } from '../api.ts'
import { text } from '../language.ts'
import { discard, discardOf, PART_BYTES, review, sendInParts } from './in-parts.ts'
import { put } from './put.ts'
import { reasonOf, refusalOf } from './reasons.ts'
import { headersOf, type Sender } from './sender.ts'
import { isOf, listUnfinished, type Unfinished } from './unfinished.ts'

export interface Sending {
  id: number
  file: File
  state: 'waiting' | 'sending' | 'paused' | 'sent' | 'failed' | 'cancelled'
  /** Bytes. */
  sent: number
  /** Why it failed, or waits. */
  note?: string | undefined
  /** A retry may help. */
  again: boolean
}
const SLOTS = 2

/** A file that is being sent, and what it is once that is stopped. */
interface Run {
  stop: AbortController
  endsAs: 'cancelled' | 'paused'
}

/** Uploads files through a link, two at a time. It exists outside the page, which subscribes to it. */
export function createQueue(info: ShareInfo) {
  let list: readonly Sending[] = []
  let next = 1
  /** What the visitor says of themselves, for the files that are sent from now on. */
  let who: Sender = { name: '', message: '' }
  const running = new Map<number, Run>()
  const listeners = new Set<() => void>()

  const show = (changed: readonly Sending[]) => {
    list = changed
    for (const listener of listeners) listener()
  }
  const change = (id: number, fields: Partial<Sending>) =>
    show(list.map((one) => (one.id === id ? { ...one, ...fields } : one)))
  const begin = () => {
    while (running.size < SLOTS) {
      const waiting = list.find(({ state }) => state === 'waiting')
      if (!waiting) return
      void send(waiting)
    }
  }
  const send = async ({ id, file }: Sending) => {
    const run: Run = { stop: new AbortController(), endsAs: 'cancelled' }
    const { signal } = run.stop
    running.set(id, run)
    change(id, { state: 'sending', note: undefined })
    const onSent = (sent: number) => change(id, { sent })
    const onWaiting = (waits: boolean) => change(id, { note: waits ? text.reconnecting : undefined })
    try {
      if (isInParts(file)) await sendInParts(file, who, { signal, onSent, onWaiting })
      else await sendWhole(file, who, { signal, onSent })
      change(id, { state: 'sent', sent: file.size, note: undefined })
    } catch (error) {
      if (signal.aborted) change(id, { state: run.endsAs, note: undefined, again: true })
      else change(id, { state: 'failed', ...reasonOf(error, info) })
      if (run.endsAs === 'cancelled' && signal.aborted) discardOf(file)
    }
    running.delete(id)
    begin()
  }
  const stop = (id: number, endsAs: Run['endsAs']) => {
    const run = running.get(id)
    if (run) {
      run.endsAs = endsAs
      run.stop.abort()
    } else change(id, { state: endsAs, again: true })
  }
  void review().then(() => show(list))
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    list: () => list,
    /** Uploads that were begun before a reload, of files that have to be chosen again. */
    unfinished: () => listUnfinished().filter((one) => !list.some(({ file }) => isOf(file, one))),
    discard(one: Unfinished) {
      discard(one.upload)
      show(list)
    },
    introduce(sender: Sender) {
      who = sender
    },
    add(files: readonly File[]) {
      const added = files.map((file): Sending => {
        const refusal = refusalOf(file, info)
        const state = refusal === undefined ? 'waiting' : 'failed'
        return { id: next++, file, state, sent: 0, note: refusal, again: false }
      })
      show([...list, ...added])
      begin()
    },
    pause: (id: number) => stop(id, 'paused'),
    cancel: (id: number) => stop(id, 'cancelled'),
    retry(id: number) {
      change(id, { state: 'waiting', note: undefined })
      begin()
    },
    remove({ id, file }: Sending) {
      discardOf(file)
      show(list.filter((one) => one.id !== id))
    },
    /** Whether leaving the page would lose something. */
    busy: () => list.some(isUnderWay),
  }
}
export type Queue = ReturnType<typeof createQueue>

export const isUnderWay = ({ state }: Sending): boolean => state === 'waiting' || state === 'sending'
/** Whether a file can be paused, and continued after a reload. */
export const isInParts = ({ size }: File): boolean => size > PART_BYTES

/** Sends a file in one request. */
function sendWhole(
  file: File,
  who: Sender,
  options: { signal: AbortSignal; onSent: (bytes: number) => void },
): Promise<unknown> {
  const headers = { ...headersOf(who), ...(file.type ? { 'content-type': file.type } : {}) }
  return put(contentsUrl({}, `/${encodeURIComponent(file.name)}`), file, { headers, ...options })
}
