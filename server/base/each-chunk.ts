import type { Readable } from 'node:stream'

/**
 * The chunks of a stream, each as it was pushed, and the next only when it is asked for. Iterating over the stream itself would
 * copy what was pushed together into one. Ends the stream when it is left.
 */
export async function* eachChunk(stream: Readable): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = []
  let over: { error?: Error } | undefined
  let wake = () => {}
  const end = (error?: Error) => {
    over ??= error ? { error } : {}
    wake()
  }
  stream.pause()
  stream
    .on('data', (chunk: Buffer) => {
      stream.pause()
      waiting.push(chunk)
      wake()
    })
    .once('end', () => end())
    .once('error', end)
    .once('close', () => end(stream.readableEnded ? undefined : new Error('The stream was closed before its end')))
  try {
    for (;;) {
      for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) yield chunk
      if (over?.error) throw over.error
      if (over) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      stream.resume()
      await promise
    }
  } finally {
    stream.on('error', () => undefined)
    stream.destroy()
  }
}
