import { Client } from 'undici'
import { rejectOnAbort } from './abort.ts'
import { createDial, type Progress } from './dial.ts'
import { asFailure, OutboundFailure } from './failure.ts'
import type { Route } from './route.ts'

/**
 * Reads a small JSON document over a guarded connection of its own, which is checked like a webhook's. Redirects are failures,
 * as is anything longer than `mostBytes` or that takes longer than `timeoutMs`. Rejects with an OutboundFailure.
 */
export async function getJson(
  route: Route,
  url: URL,
  { mostBytes, timeoutMs }: { mostBytes: number; timeoutMs: number },
): Promise<unknown> {
  const dial = createDial(route)
  const signal = AbortSignal.timeout(timeoutMs)
  const progress: Progress = { phase: 'dns', ip: null }
  const client = new Client(url.origin, {
    connect: (options, done) => {
      dial(options, progress, signal).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: 16_384,
  })
  try {
    const { statusCode, body } = await rejectOnAbort(
      signal,
      client.request({
        path: url.pathname + url.search,
        method: 'GET',
        headers: { accept: 'application/json' },
        signal,
      }),
    )
    body.on('error', () => undefined)
    if (statusCode !== 200) throw new OutboundFailure('protocol', `the answer has the status ${statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    const read = async () => {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > mostBytes) throw new OutboundFailure('protocol', `the answer has more than ${mostBytes} bytes`)
        chunks.push(chunk)
      }
    }
    await rejectOnAbort(signal, read())
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (signal.aborted) throw new OutboundFailure('timeout_headers', `no answer within ${timeoutMs / 1000} s`)
    if (error instanceof SyntaxError) throw new OutboundFailure('protocol', 'the answer is not JSON', { cause: error })
    throw asFailure(error, 'exchange')
  } finally {
    await client.destroy().catch(() => undefined)
  }
}
