import { contentsUrl, type ShareInfo } from '../api.ts'
import { text } from '../language.ts'
import { put } from './put.ts'
import { reasonOf, refusalOf } from './reasons.ts'
import { headersOf, type Sender } from './sender.ts'

export interface Sending {
  id: number
  file: File
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'cancelled'
  /** Bytes. */
  sent: number
  /** Why it failed, or the file's final name. */
  note?: string | undefined
  /** A retry may help. */
  again: boolean
}
const SLOTS = 2

/** Uploads files through a link, two at a time. It exists outside the page, which subscribes to it. */
export function createQueue(info: ShareInfo) {
  let list: readonly Sending[] = []
  let next = 1
  /** What the visitor says of themselves, for the files that are sent from now on. */
  let who: Sender = { name: '', message: '' }
  const running = new Map<number, AbortController>()
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
    const stop = new AbortController()
    running.set(id, stop)
    change(id, { state: 'sending', sent: 0, note: undefined })
    try {
      const { name } = await sendWhole(file, who, { signal: stop.signal, onSent: (sent) => change(id, { sent }) })
      change(id, { state: 'sent', sent: file.size, note: name === file.name ? undefined : text.sentAs(name) })
    } catch (error) {
      if (stop.signal.aborted) change(id, { state: 'cancelled', again: true })
      else change(id, { state: 'failed', ...reasonOf(error, info) })
    }
    running.delete(id)
    begin()
  }
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    list: () => list,
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
    cancel(id: number) {
      const stop = running.get(id)
      if (stop) stop.abort()
      else change(id, { state: 'cancelled', again: true })
    },
    retry(id: number) {
      change(id, { state: 'waiting', note: undefined })
      begin()
    },
    remove(id: number) {
      show(list.filter((one) => one.id !== id))
    },
    /** Whether leaving the page would lose something. */
    busy: () => list.some(isUnderWay),
  }
}
export type Queue = ReturnType<typeof createQueue>

export const isUnderWay = ({ state }: Sending): boolean => state === 'waiting' || state === 'sending'

/** Sends a file in one request; returns the name that it got. */
function sendWhole(
  file: File,
  who: Sender,
  options: { signal: AbortSignal; onSent: (bytes: number) => void },
): Promise<{ name: string }> {
  const headers = { ...headersOf(who), ...(file.type ? { 'content-type': file.type } : {}) }
  return put(contentsUrl({}, `/${encodeURIComponent(file.name)}`), file, { headers, ...options })
}
