import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

/** What a thread says that has loaded the limit first. */
async function say(code: string): Promise<unknown> {
  const module = new URL('../../console/src/features/browse/pdf-memory.ts', import.meta.url)
  const thread = new Worker(
    `import { parentPort } from 'node:worker_threads'
    const { MOST_BUFFERED } = await import(${JSON.stringify(module.href)})
    try { parentPort.postMessage((() => { ${code} })()) } catch (error) { parentPort.postMessage(error.message) }`,
    { eval: true, execArgv: ['--input-type=module'] },
  )
  return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
}
const REFUSED = 'More than 268435456 bytes.'

test('a thread that reads a PDF has buffers of 256 MB in all, from its start to its end', async () => {
  assert.equal(await say('return new Uint8Array(MOST_BUFFERED).length'), 2 ** 28)
  assert.equal(await say('new Uint8Array(MOST_BUFFERED + 1)'), REFUSED)
  assert.equal(await say('new ArrayBuffer(MOST_BUFFERED + 1)'), REFUSED)
  assert.equal(await say('new Float64Array(MOST_BUFFERED / 8 + 1)'), REFUSED)
  // As a stream grows: each time twice as large.
  assert.equal(await say('for (let size = 1024; ; size *= 2) new Uint8Array(size)'), REFUSED)
  // What was let go counts too.
  assert.equal(await say('for (;;) new Uint8ClampedArray(1024 * 1024)'), REFUSED)
})

test('buffers are as they were', async () => {
  const code = `
    const bytes = new Uint8Array([1, 2, 3])
    const view = new Uint8Array(bytes.buffer, 1)
    const copy = bytes.slice()
    class Own extends Uint8Array {}
    return [bytes instanceof Uint8Array, copy instanceof Uint8Array, view[0], view.length, Uint8Array.from([7])[0],
      Uint8Array.BYTES_PER_ELEMENT, new Own(2).length, new Own(2) instanceof Own, ArrayBuffer.isView(view)]`
  assert.deepEqual(await say(code), [true, true, 2, 2, 7, 1, 2, true, true])
})
