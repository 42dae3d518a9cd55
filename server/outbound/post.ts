import { Client } from 'undici'
import { rejectOnAbort } from './abort.ts'
import { createDial, type Progress } from './dial.ts'
import { asFailure, blocked, type FailureClass, OutboundFailure } from './failure.ts'
import type { Route } from './route.ts'

/** Maximum size of a response body that is read. */
const MOST_BYTES = 16_384
/**
 * How long an unused connection is kept, in milliseconds: shorter than any server's own limit, because a request on a
 * connection that the other side is just closing would be a failed attempt.
 */
const IDLE_MS = 1500
const MOST_IDLE = 256

/** The outcome of a request. Without a status there was no response. */
export interface Answer {
  status: number | null
  headers: Record<string, string> | null
  body: Buffer
  truncated: boolean
  ip: string | null
  durationMs: number
  failure: { kind: FailureClass | 'http_status'; text: string; detail?: unknown } | null
}
export interface Poster {
  /** Never rejects. A response counts once its status line and headers arrive: its body cannot make it a failure. */
  post(url: URL, headers: Record<string, string>, body: string): Promise<Answer>
  /** Closes idle connections. */
  close(): void
}

/** One connection, used by one request at a time. */
interface Line {
  client: Client
  origin: string
  progress: Progress
  connected: boolean
  signal: AbortSignal
  idle?: NodeJS.Timeout
}

/** Sends requests over guarded connections, each within `timeoutMs` in total. Redirects count as responses. */
export function createPoster(route: Route, timeoutMs: number): Poster {
  const dial = createDial(route)
  const idle = new Map<string, Line[]>()
  let idleCount = 0

  function open(origin: string, signal: AbortSignal): Line {
    const line: Line = {
      client: new Client(origin, {
        // Read only after `line` is there: undici connects when there is a request.
        connect: (options, done) => {
          dial(options, line.progress, line.signal).then(
            (socket) => done(null, socket),
            (error: Error) => done(error, null),
          )
        },
        allowH2: false,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: 16_384,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
      }),
      origin,
      signal,
      connected: false,
      progress: { phase: 'dns', ip: null },
    }
    line.client.on('connect', () => {
      line.connected = true
    })
    line.client.on('disconnect', () => {
      line.connected = false
    })
    return line
  }

  function take(origin: string, signal: AbortSignal): Line {
    const line = idle.get(origin)?.pop()
    if (!line) return open(origin, signal)
    idleCount--
    clearTimeout(line.idle)
    line.signal = signal
    if (!line.connected) line.progress = { phase: 'dns', ip: null }
    return line
  }

  function giveBack(line: Line): void {
    if (!line.connected || idleCount >= MOST_IDLE) return void line.client.destroy()
    const lines = idle.get(line.origin) ?? []
    idle.set(line.origin, lines)
    lines.push(line)
    idleCount++
    line.idle = setTimeout(() => drop(line), IDLE_MS)
    line.idle.unref()
  }

  function drop(line: Line): void {
    clearTimeout(line.idle)
    const lines = idle.get(line.origin)?.filter((one) => one !== line) ?? []
    if (lines.length > 0) idle.set(line.origin, lines)
    else idle.delete(line.origin)
    idleCount--
    void line.client.destroy()
  }

  async function post(url: URL, headers: Record<string, string>, body: string): Promise<Answer> {
    const began = performance.now()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error('deadline')), timeoutMs)
    const line = take(url.origin, deadline.signal)
    const answer: Answer = {
      status: null,
      headers: null,
      body: Buffer.alloc(0),
      truncated: false,
      ip: null,
      durationMs: 0,
      failure: null,
    }
    let reusable = false
    try {
      const response = await rejectOnAbort(
        deadline.signal,
        line.client.request({
          path: url.pathname + url.search,
          method: 'POST',
          headers,
          body,
          signal: deadline.signal,
        }),
      )
      response.body.on('error', () => undefined)
      answer.status = response.statusCode
      answer.headers = plainHeaders(response.headers)
      if (response.statusCode < 200 || response.statusCode > 299)
        answer.failure = { kind: 'http_status', text: `the receiver answered ${response.statusCode}` }
      reusable = await readInto(answer, response.body, deadline.signal)
    } catch (error) {
      const failure = deadline.signal.aborted ? timedOut(line.progress, timeoutMs) : asFailure(error, 'exchange')
      answer.failure = { kind: failure.kind, text: failure.message, detail: failure.cause }
    } finally {
      clearTimeout(timer)
    }
    answer.ip = answer.failure?.kind === blocked().kind ? null : line.progress.ip
    answer.durationMs = Math.round(performance.now() - began)
    if (reusable) giveBack(line)
    else void line.client.destroy().catch(() => undefined)
    return answer
  }

  return {
    post,
    close() {
      for (const lines of idle.values()) for (const line of [...lines]) drop(line)
    },
  }
}

/** Reads the start of the body; returns whether it ended there. Errors only truncate it. */
async function readInto(answer: Answer, body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<boolean> {
  const chunks: Buffer[] = []
  let size = 0
  const read = async () => {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MOST_BYTES) return false
    }
    return true
  }
  const whole = await rejectOnAbort(signal, read()).catch(() => {
    if (signal.aborted && answer.failure) answer.failure = { ...answer.failure, kind: 'timeout_body' }
    return false
  })
  answer.body = Buffer.concat(chunks).subarray(0, MOST_BYTES)
  answer.truncated = !whole
  return whole
}

const MASKED = new Set(['set-cookie', 'authorization', 'proxy-authorization'])

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    MASKED.has(name) ? '***' : Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(entries)
}

function timedOut({ phase }: Progress, timeoutMs: number): OutboundFailure {
  const after = `within ${timeoutMs / 1000} s`
  if (phase === 'dns') return new OutboundFailure('dns', `timeout: no answer of DNS ${after}`)
  if (phase === 'connect') return new OutboundFailure('connect', `timeout: no connection ${after}`)
  if (phase === 'tls') return new OutboundFailure('tls', `timeout: no end of the TLS handshake ${after}`)
  return new OutboundFailure('timeout_headers', `timeout: no status and headers ${after}`)
}
