import type http from 'node:http'
import type { RecyclingStream } from '../drivers/driver.ts'

/** How the response to a GET ended. */
export interface Delivery {
  status: number
  /** Bytes of the body that were handed to the connection. */
  bytes: number
  /** Whether the whole body was. */
  complete: boolean
}

/**
 * Calls each of `reports` once with how a response ended; not for HEAD. Call it before sending. `lengthOf` says how many
 * bytes a body has that is sent whole.
 */
export function onDelivered(
  { request, response }: { request: http.IncomingMessage; response: http.ServerResponse },
  lengthOf: () => number,
  reports: readonly (((delivery: Delivery) => void) | undefined)[],
): void {
  if (request.method === 'HEAD') return
  let streamed: number | undefined
  response.once('pipe', (source) => {
    streamed = 0
    source.on('data', (chunk: Uint8Array) => {
      streamed = (streamed ?? 0) + chunk.length
    })
  })
  response.once('close', () => {
    const { statusCode: status, writableFinished: complete } = response
    const whole = complete ? lengthOf() : 0
    for (const report of reports) report?.({ status, bytes: streamed ?? whole, complete })
  })
}

/** Recycles the chunks of a stream that is sent as the response, each once the kernel has it. */
export function recycleSent(response: http.ServerResponse): void {
  response.once('pipe', (source: Partial<RecyclingStream>) => {
    if (!source.recycle) return
    const write: (chunk: Uint8Array, written: () => void) => boolean = response.write.bind(response)
    response.write = ((chunk: Uint8Array) => write(chunk, () => source.recycle?.(chunk))) as typeof response.write
  })
}
