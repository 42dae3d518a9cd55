import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ChecksumAlgorithm } from '../../contract/shapes.ts'
import { perSystem } from '../base/per-system.ts'
import { createDigest, type Digest } from './digest.ts'

/** Digests that may be computed elsewhere: `update` returns a promise where the caller has to wait before it goes on. */
export interface Summing {
  update(bytes: Uint8Array): Promise<void> | undefined
  /** One for each algorithm, big-endian. Called once. */
  digests(): Promise<Buffer[]>
  /** Ends what is not wanted any more. */
  drop(): void
}

/** Bytes that are copied for the thread at a time, and how many such blocks may be on their way to it. */
const BLOCK = 128 * 1024
const MOST_BLOCKS = 32
/** Bytes up to which it takes longer to tell the thread than to compute it. */
const SHORT = 64 * 1024
/** By which the thread knows what it is for. */
const ROLE = 'summing'

type Algorithms = readonly ChecksumAlgorithm[]
type Order =
  | { id: number; algorithms: Algorithms; block: ArrayBuffer; length: number }
  | { id: number; algorithms: Algorithms; end: 'digest' | 'drop' }
interface Reply {
  /** To be used again. */
  blocks: ArrayBuffer[]
  /** What became of digests that were asked for, or of some that failed before. */
  ended?: { id: number } & ({ sums: Uint8Array[] } | { error: string })
}
/** Blocks that are sent back together, while there are orders to carry out. */
const AT_ONCE = 8

/**
 * A thread that computes hashes and checksums, started with the first one. Bytes go there in blocks that come back to be used
 * again, so that the main thread only copies them.
 */
class SummingThread {
  #worker: Worker | undefined
  #last = 0
  #onTheirWay = 0
  readonly #free: ArrayBuffer[] = []
  readonly #waiting: (() => void)[] = []
  readonly #wanted = new Map<number, PromiseWithResolvers<Buffer[]>>()

  #thread(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL(import.meta.url), { workerData: ROLE })
    worker.on('message', (reply: Reply) => this.#take(reply))
    worker.on('error', (error) => this.#fail(error as Error))
    worker.on('exit', () => {
      if (worker === this.#worker) this.#fail(new Error('The thread that computes checksums has ended.'))
    })
    this.#worker = worker
    this.#hold()
    return worker
  }

  /** Keeps the process while somebody waits for the thread, and no longer. Listening to it would keep the process, too. */
  #hold(): void {
    if (this.#wanted.size > 0 || this.#waiting.length > 0) this.#worker?.ref()
    else this.#worker?.unref()
  }

  #take(reply: Reply): void {
    const { blocks, ended } = reply
    for (const block of blocks) {
      this.#onTheirWay--
      if (this.#free.length < MOST_BLOCKS) this.#free.push(block)
      this.#waiting.shift()?.()
    }
    const wanted = ended && this.#wanted.get(ended.id)
    if (ended) this.#wanted.delete(ended.id)
    this.#hold()
    if (!ended) return
    if ('error' in ended) wanted?.reject(new Error(`A checksum could not be computed: ${ended.error}`))
    else wanted?.resolve(ended.sums.map((sum) => Buffer.from(sum)))
  }

  /** Without its thread nothing that was begun can be ended; what comes next has a new one. */
  #fail(error: Error): void {
    this.#worker = undefined
    this.#onTheirWay = 0
    for (const { reject } of this.#wanted.values()) reject(error)
    this.#wanted.clear()
    for (const go of this.#waiting.splice(0)) go()
  }

  begin(algorithms: Algorithms): Summing {
    const id = ++this.#last
    const worker = this.#thread()
    let block: Uint8Array | undefined
    let filled = 0
    const send = () => {
      if (!block || filled === 0) return
      this.#onTheirWay++
      const { buffer } = block as Uint8Array<ArrayBuffer>
      worker.postMessage({ id, algorithms, block: buffer, length: filled } satisfies Order, [buffer])
      block = undefined
      filled = 0
    }
    return {
      update: (bytes) => {
        for (let at = 0; at < bytes.length; ) {
          block ??= new Uint8Array(this.#free.pop() ?? new ArrayBuffer(BLOCK))
          const piece = bytes.subarray(at, at + BLOCK - filled)
          block.set(piece, filled)
          filled += piece.length
          at += piece.length
          if (filled === BLOCK) send()
        }
        if (this.#onTheirWay < MOST_BLOCKS) return undefined
        return new Promise((resolve) => {
          this.#waiting.push(resolve)
          this.#hold()
        })
      },
      digests: () => {
        send()
        const wanted = Promise.withResolvers<Buffer[]>()
        if (worker !== this.#worker) wanted.reject(new Error('The thread that computes checksums has ended.'))
        else this.#wanted.set(id, wanted)
        worker.postMessage({ id, algorithms, end: 'digest' } satisfies Order)
        this.#hold()
        return wanted.promise
      },
      drop: () => worker.postMessage({ id, algorithms, end: 'drop' } satisfies Order),
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate()
  }
}

const threadOf = perSystem(
  () => new SummingThread(),
  (thread) => thread.stop(),
)

/** What computes hashes and checksums of a body of about this size in bytes: of a long one on a thread. */
export async function startSumming(config: object, algorithms: Algorithms, size: number): Promise<Summing> {
  return size > SHORT && algorithms.length > 0
    ? threadOf(config).begin(algorithms)
    : here(await Promise.all(algorithms.map(createDigest)))
}

const here = (all: readonly Digest[]): Summing => ({
  update(bytes) {
    for (const one of all) one.update(bytes)
    return undefined
  },
  digests: async () => all.map((one) => one.digest()),
  drop() {},
})

/**
 * The thread's side: digests by id. Orders are carried out in the order in which they came. Blocks are sent back several at
 * once, which is what costs the main thread most, and at the latest when nothing is left to do.
 */
function serve(port: NonNullable<typeof parentPort>): void {
  const digests = new Map<number, Promise<Digest[]>>()
  let turn: Promise<unknown> = Promise.resolve()
  let willFlush = false
  let blocks: ArrayBuffer[] = []
  const reply = (ended?: Reply['ended']) => {
    port.postMessage({ blocks, ...(ended && { ended }) } satisfies Reply, blocks)
    blocks = []
  }
  const flush = () => {
    willFlush = false
    if (blocks.length > 0) reply()
  }
  /** After all orders that have come by now. */
  const flushSoon = () => {
    if (!willFlush) setImmediate(flush)
    willFlush = true
  }
  const carryOut = async (order: Order): Promise<void> => {
    const wanted = digests.get(order.id) ?? Promise.all(order.algorithms.map(createDigest))
    digests.set(order.id, wanted)
    if ('block' in order) {
      const bytes = new Uint8Array(order.block, 0, order.length)
      try {
        for (const digest of await wanted) digest.update(bytes)
      } finally {
        blocks.push(order.block)
        if (blocks.length === AT_ONCE) reply()
        else flushSoon()
      }
      return
    }
    digests.delete(order.id)
    if (order.end === 'digest') reply({ id: order.id, sums: (await wanted).map((digest) => digest.digest()) })
  }
  port.on('message', (order: Order) => {
    turn = turn.then(() => carryOut(order)).catch((error: Error) => reply({ id: order.id, error: error.message }))
  })
}
if (!isMainThread && parentPort && workerData === ROLE) serve(parentPort)
