import { contentsUrl, type ShareInfo } from '../api.ts'
import { text } from '../language.ts'
import { formatBytes } from '../numbers.ts'

export interface Sending {
  id: number
  file: File
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'cancelled'
  sent: number
  /** The error, or the file's final name. */
  note?: string | undefined
  /** A retry may help. */
  again: boolean
}
const SLOTS = 2

/** Why a file cannot be accepted, before it is sent. */
function refusalOf(file: File, { max_file_bytes, content_types }: ShareInfo): string | undefined {
  if (max_file_bytes !== null && file.size > max_file_bytes) return text.tooLarge(formatBytes(max_file_bytes))
  const type = (file.type || 'application/octet-stream').toLowerCase()
  const fits = content_types?.some((one) => (one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one))
  // The server goes by the name if the browser knows no type.
  return fits === false && file.type !== '' ? text.wrongType(content_types?.join(', ') ?? '') : undefined
}

/** Uploads files through a link, two at a time. It exists outside the page, which subscribes to it. */
export function createSender(info: ShareInfo) {
  let list: readonly Sending[] = []
  let next = 1
  const requests = new Map<number, XMLHttpRequest>()
  const listeners = new Set<() => void>()

  const change = (id: number, fields: Partial<Sending>) => {
    list = list.map((one) => (one.id === id ? { ...one, ...fields } : one))
    for (const listener of listeners) listener()
  }
  const begin = () => {
    while (requests.size < SLOTS) {
      const waiting = list.find(({ state }) => state === 'waiting')
      if (!waiting) return
      send(waiting)
    }
  }
  const send = ({ id, file }: Sending) => {
    const request = new XMLHttpRequest()
    requests.set(id, request)
    change(id, { state: 'sending', sent: 0, note: undefined })
    const end = (fields: Partial<Sending>) => {
      requests.delete(id)
      change(id, fields)
      begin()
    }
    request.upload.onprogress = ({ loaded }) => change(id, { sent: loaded })
    request.onload = () => {
      if (request.status === 201) {
        const { name } = JSON.parse(request.responseText) as { name: string }
        return end({ state: 'sent', sent: file.size, note: name === file.name ? undefined : text.sentAs(name) })
      }
      const again = request.status === 401 || request.status === 429 || request.status >= 500
      end({ state: 'failed', note: reasonOf(request), again })
    }
    request.onerror = () => end({ state: 'failed', note: text.lost, again: true })
    request.onabort = () => end({ state: 'cancelled', again: true })
    const [path = '', query] = contentsUrl().split('?')
    request.open('PUT', `${path}/${encodeURIComponent(file.name)}${query ? `?${query}` : ''}`)
    if (file.type) request.setRequestHeader('content-type', file.type)
    request.send(file)
  }
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    list: () => list,
    add(files: readonly File[]) {
      list = [
        ...list,
        ...files.map((file): Sending => {
          const refusal = refusalOf(file, info)
          return {
            id: next++,
            file,
            state: refusal === undefined ? 'waiting' : 'failed',
            sent: 0,
            note: refusal,
            again: false,
          }
        }),
      ]
      for (const listener of listeners) listener()
      begin()
    },
    cancel(id: number) {
      const request = requests.get(id)
      if (request) request.abort()
      else change(id, { state: 'cancelled', again: true })
    },
    retry(id: number) {
      change(id, { state: 'waiting', note: undefined })
      begin()
    },
    /** Whether leaving the page would lose something. */
    busy: () => list.some(({ state }) => state === 'waiting' || state === 'sending'),
  }
}
export type Sender = ReturnType<typeof createSender>

function reasonOf(request: XMLHttpRequest): string {
  if (request.status === 410) return text.goneTitle
  try {
    return (JSON.parse(request.responseText) as { detail?: string }).detail ?? text.unanswered
  } catch {
    return text.unanswered
  }
}
