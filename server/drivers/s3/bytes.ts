import { Readable } from 'node:stream'
import { BlobMissing, WrongLength } from '../driver.ts'

const KiB = 1024
const MiB = 1024 * KiB
/** How far the bodies of requests and responses are read ahead. */
const AHEAD = 256 * KiB

export const ignore = () => {}

/**
 * Sends exactly `size` bytes of a source, at least one, as the body of one request. The last chunk is held back until
 * the source has ended without error and with the right number of bytes, and `mayFinish` has resolved; until then the
 * request cannot take effect, and every failure aborts it. Rejects with the source's own error.
 */
export async function sendExactly<T>(
  source: AsyncIterable<Uint8Array>,
  size: number,
  mayFinish: () => Promise<void>,
  start: (body: Readable, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  let wanted = Promise.withResolvers<void>()
  const body = new Readable({ highWaterMark: AHEAD, read: () => wanted.resolve() })
  const request: { answer?: Promise<T> } = {}
  let answered = false
  const onAnswer = () => {
    answered = true
    wanted.resolve()
  }
  const give = async (chunk: Uint8Array): Promise<void> => {
    if (!request.answer) {
      request.answer = start(body, abort.signal)
      request.answer.then(onAnswer, onAnswer)
    }
    if (!answered && !body.push(chunk)) {
      wanted = Promise.withResolvers()
      await wanted.promise
    }
    if (!answered) return
    await request.answer
    throw new Error('The S3 engine responded before it received the whole body')
  }
  try {
    let taken = 0
    let held: Uint8Array | undefined
    for await (const chunk of source) {
      if (chunk.length === 0) continue
      taken += chunk.length
      assertNotMore(taken, size)
      if (held) await give(held)
      held = chunk
    }
    assertWhole(taken, size)
    await mayFinish()
    // Not awaited: the response arrives as soon as the last byte was sent.
    give(held as Uint8Array).catch(ignore)
    body.push(null)
    return await (request.answer as Promise<T>)
  } catch (error) {
    abort.abort()
    body.destroy()
    await request.answer?.catch(ignore)
    throw error
  }
}

/** A small source in one buffer. */
export async function gatherExactly(source: AsyncIterable<Uint8Array>, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let taken = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    taken += chunk.length
    assertNotMore(taken, size)
  }
  assertWhole(taken, size)
  return Buffer.concat(chunks)
}

/**
 * A source in buffers of `sizeOf(1)`, `sizeOf(2)`, … bytes. The last one may be shorter, and is empty only if the
 * source is. A buffer is reused for the next one.
 */
export async function* gathered(
  source: AsyncIterable<Uint8Array>,
  sizeOf: (number: number) => number,
): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let number = 1
  let size = sizeOf(number)
  let buffer = Buffer.allocUnsafeSlow(Math.min(size, 64 * KiB))
  let filled = 0
  for await (const chunk of source)
    for (let rest = chunk; rest.length > 0; ) {
      if (filled === size) {
        yield { bytes: buffer.subarray(0, filled), last: false }
        filled = 0
        size = sizeOf(++number)
      }
      const some = rest.subarray(0, size - filled)
      if (filled + some.length > buffer.length) {
        // Small blobs need no large buffer, and growing it keeps two copies of less than a MiB.
        const larger = Buffer.allocUnsafeSlow(filled + some.length <= MiB && buffer.length < MiB ? MiB : size)
        larger.set(buffer.subarray(0, filled))
        buffer = larger
      }
      buffer.set(some, filled)
      filled += some.length
      rest = rest.subarray(some.length)
    }
  yield { bytes: buffer.subarray(0, filled), last: true }
}

/**
 * A source in pieces of these sizes, to be read one after another, each to its end. Rejects after the last if the
 * source has more.
 */
export async function* divided(
  source: AsyncIterable<Uint8Array>,
  sizes: Iterable<number>,
): AsyncGenerator<{ bytes: AsyncIterable<Uint8Array>; size: number }> {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Uint8Array = Buffer.alloc(0)
  async function* bytesOf(size: number) {
    for (let left = size; left > 0; ) {
      if (rest.length === 0) {
        const { done, value } = await chunks.next()
        if (done) return
        rest = value
      }
      const some = rest.subarray(0, left)
      rest = rest.subarray(some.length)
      left -= some.length
      yield some
    }
  }
  try {
    let total = 0
    for (const size of sizes) {
      yield { bytes: bytesOf(size), size }
      total += size
    }
    while (rest.length === 0) {
      const { done, value } = await chunks.next()
      if (done) return
      rest = value
    }
    assertNotMore(total + rest.length, total)
  } finally {
    await chunks.return?.()
  }
}

/** A response body as a stream of exactly `length` bytes; destroying it aborts the request. */
export function countedStream(id: string, body: Readable, length: number): Readable {
  let left = length
  const stream = new Readable({
    highWaterMark: AHEAD,
    read: () => void body.resume(),
    destroy(error, finish) {
      body.destroy()
      finish(error)
    },
  })
  body.pause()
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) return void stream.destroy(new Error(`The S3 engine sent more of blob ${id} than requested`))
    if (!stream.push(chunk)) body.pause()
  })
  body.on('end', () => (left === 0 ? stream.push(null) : stream.destroy(new BlobMissing(id))))
  body.on('error', (error) => stream.destroy(error))
  body.on('close', () => {
    if (!body.readableEnded) stream.destroy(new Error(`The S3 engine cut off blob ${id}`))
  })
  return stream
}

/** So many bytes of a body from a position on; ends the request once they have come. */
export const sliceStream = (body: Readable, start: number, length: number): Readable =>
  Readable.from(
    (async function* () {
      let at = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const some = chunk.subarray(Math.max(0, start - at), Math.max(0, start + length - at))
        at += chunk.length
        if (some.length > 0) yield some
        if (at >= start + length) return
      }
    })(),
  )

function assertNotMore(taken: number, size: number): void {
  if (taken > size) throw new WrongLength(`The source gave more than ${size} bytes`)
}
function assertWhole(taken: number, size: number): void {
  if (taken < size) throw new WrongLength(`The source gave ${taken} bytes instead of ${size}`)
}
