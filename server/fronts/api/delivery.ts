import type { ServerResponse } from 'node:http'
import type { RecyclingStream } from '../../blobs/drivers/driver.ts'
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

/** Recycles the chunks of a stream that is sent as the response, each once the kernel has it. */
export function recycleSent({ reply: { raw } }: Raw): void {
  raw.once('pipe', (source: Partial<RecyclingStream>) => {
    if (!source.recycle) return
    const write: (chunk: Uint8Array, written: () => void) => boolean = raw.write.bind(raw)
    raw.write = ((chunk: Uint8Array) => write(chunk, () => source.recycle?.(chunk))) as ServerResponse['write']
  })
}
