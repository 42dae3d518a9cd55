import type { Delivery } from '../../http/delivery.ts'
import type { Raw } from './handle.ts'

/** Calls each of `reports` once with how a response ended; not for HEAD. Call it before sending the response. */
export function onDelivered(
  { request, reply }: Raw,
  ...reports: readonly (((delivery: Delivery) => void) | undefined)[]
): void {
  if (request.method === 'HEAD') return
  let streamed: number | undefined
  reply.raw.once('pipe', (source) => {
    streamed = 0
    source.on('data', (chunk: Uint8Array) => {
      streamed = (streamed ?? 0) + chunk.length
    })
  })
  reply.raw.once('close', () => {
    const { statusCode: status, writableFinished: complete } = reply.raw
    const whole = complete ? Number(reply.getHeader('content-length') ?? 0) : 0
    for (const report of reports) report?.({ status, bytes: streamed ?? whole, complete })
  })
}
