import type { Delivery } from '../../http/delivery.ts'
import type { Raw } from './handle.ts'

/** Tells each of `reports` once how an answer ended; nothing of one to HEAD. To be called before it is sent. */
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
