// Keys in their order, however many: sorted in runs that are files, which are merged until few enough are left.
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { compareKeys } from '../../../../contract/permissions.ts'
import { LineFile } from './line-file.ts'
import { keysIn } from './lines.ts'

/** Keys of a run, which are sorted at once: some 30 ms. */
const IN_RUN = 16_384
/** Runs that are merged at a time. */
const AT_ONCE = 64
/** Bytes that are read at a time. */
const READ = 65_536

/** Called between pieces of work; may throw. */
export type Tick = () => Promise<void> | undefined

/** The keys of a file, one by one: `head` is the next, undefined at the end. */
class Run {
  readonly #pages: AsyncGenerator<string[]>
  #page: readonly string[] = []
  #at = 0
  constructor(file: string) {
    this.#pages = keysIn(createReadStream(file, { highWaterMark: READ }))
  }
  get head(): string | undefined {
    return this.#page[this.#at]
  }
  /** Goes to the next key; a promise where that has to be read. */
  next(): Promise<void> | undefined {
    this.#at++
    return this.#at < this.#page.length ? undefined : this.#read()
  }
  async #read(): Promise<void> {
    const { value, done } = await this.#pages.next()
    this.#page = done ? [] : value
    this.#at = 0
  }
  close = async (): Promise<void> => void (await this.#pages.return(undefined))
}

type Compare = (a: string, b: string) => number

/** The order of keys where none has what UTF-16 and code points put in different places. */
const compareSimple: Compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const IS_NOT_SIMPLE = /[\ud800-\uffff]/

/** Moves the run at a place of a heap down to where it belongs: the one with the first key is at 0. */
function sink(heap: Run[], compare: Compare): void {
  for (let at = 0; ; ) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const [one, other] = [heap[child]?.head, heap[least]?.head]
      if (one !== undefined && other !== undefined && compare(one, other) < 0) least = child
    }
    if (least === at) return
    const [upper, lower] = [heap[at] as Run, heap[least] as Run]
    heap[at] = lower
    heap[least] = upper
    at = least
  }
}

/** Merges files of sorted keys; of the same keys, one is left. */
async function* merge(files: readonly string[], compare: Compare): AsyncGenerator<string[]> {
  const runs = files.map((file) => new Run(file))
  try {
    await Promise.all(runs.map((run) => run.next()))
    // A sorted list is a heap.
    const heap = runs.filter(({ head }) => head !== undefined).sort((a, b) => compare(a.head ?? '', b.head ?? ''))
    let page: string[] = []
    for (let last: string | undefined; ; ) {
      const first = heap[0]
      const key = first?.head
      if (first === undefined || key === undefined) break
      if (key !== last) page.push(key)
      last = key
      if (page.length >= IN_RUN) {
        yield page
        page = []
      }
      const reading = first.next()
      if (reading) await reading
      if (first.head === undefined) {
        const end = heap.pop() as Run
        if (end !== first) heap[0] = end
      }
      sink(heap, compare)
    }
    if (page.length > 0) yield page
  } finally {
    await Promise.all(runs.map((run) => run.close()))
  }
}

/** The keys of a source in order, each once, by way of files in a folder. Takes memory for some pages, whatever their number. */
export async function* sorted(
  source: AsyncIterable<readonly string[]>,
  { folder, tick, inRun = IN_RUN, atOnce = AT_ONCE }: { folder: string; tick: Tick; inRun?: number; atOnce?: number },
): AsyncGenerator<string[]> {
  let count = 0
  let held: string[] = []
  let runs: string[] = []
  let compare = compareSimple
  const put = async (pages: Iterable<string[]> | AsyncIterable<string[]>) => {
    const file = path.join(folder, `${count++}.run`)
    const lines = await LineFile.open(file)
    try {
      for await (const keys of pages) {
        for (const key of keys) {
          const writing = lines.add(key)
          if (writing) await writing
        }
        await tick()
      }
    } finally {
      await lines.end()
    }
    return file
  }
  const putHeld = async () => {
    if (compare === compareSimple && held.some((key) => IS_NOT_SIMPLE.test(key))) compare = compareKeys
    runs.push(await put([held.sort(compare)]))
    held = []
  }
  for await (const keys of source)
    for (const key of keys) {
      held.push(key)
      if (held.length >= inRun) await putHeld()
    }
  if (held.length > 0) await putHeld()
  // Runs that were sorted before the first such key have none.
  while (runs.length > atOnce) {
    const some = runs.slice(0, atOnce)
    const file = await put(merge(some, compare))
    await Promise.all(some.map((one) => rm(one)))
    runs = [...runs.slice(atOnce), file]
  }
  for await (const keys of merge(runs, compare)) {
    await tick()
    yield keys
  }
}
