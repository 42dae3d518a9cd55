import { ProblemError } from '../../../../../client/derived.ts'
import { findTaken, MOST_KEYS, type Taken } from './conflicts.ts'
import { etagOfFile } from './etag.ts'
import { type Choice, type Item, numbered, partSizeFor, SMALL_BYTES } from './item.ts'
import { forget, save } from './persist.ts'
import { type Circumstances, persistently } from './retry.ts'
import { giveUp } from './sendFile.ts'
import type { UploadStore } from './store.ts'

const MOST_COPIES = 1000
/** Larger files are not read to find out whether they are what is there already. */
export const MOST_COMPARED = 64 * 1024 ** 2

export interface Around {
  store: UploadStore
  reach: Circumstances['reach']
  /** The file can be uploaded: its name is free, or may be replaced. */
  enqueue(item: Item): void
  /** The file already exists. */
  finish(item: Item): void
  fail(item: Item, error: unknown): void
}

/** Finds files that already exist and applies the user's choice to them. */
export class Checker {
  readonly #around: Around
  readonly #busy = new Set<string>()
  #comparing = Promise.resolve()
  constructor(around: Around) {
    this.#around = around
  }

  /** Checks a bucket's queued files, 1,000 at a time. Files without a conflict continue immediately. */
  check(bucket: string): void {
    if (this.#busy.has(bucket) || this.#around.store.held) return
    this.#busy.add(bucket)
    this.#checkAll(bucket)
      .catch((error: unknown) => {
        for (const item of this.#next(bucket)) this.#around.fail(item, error)
      })
      .finally(() => this.#busy.delete(bucket))
  }

  /** How to handle a file that already exists. */
  decide(item: Item, choice: Choice): void {
    const { store, enqueue, fail } = this.#around
    if (item.state !== 'conflict') return
    if (choice === 'skip') {
      forget(item)
      void giveUp(item)
      store.set(item, 'skipped')
    } else if (choice === 'replace') {
      item.overwrite = true
      save(item)
      enqueue(item)
    } else if (++item.copies > MOST_COPIES) fail(item, new Error(`${MOST_COPIES} copies`))
    else {
      void giveUp(item)
      item.upload = undefined
      item.key = numbered(item.batch.prefix + item.path, item.copies)
      save(item)
      store.set(item, 'checking')
      this.check(item.batch.bucket)
    }
  }

  /** The key was free when it was checked and exists now; or an earlier attempt of this file created it. */
  async refused(item: Item, file: File): Promise<void> {
    const { signal } = new AbortController()
    const found = await findTaken(item.batch.bucket, [item], signal).catch(() => new Map<Item, Taken>())
    await this.#meet(item, file, found.get(item))
  }

  async #checkAll(bucket: string): Promise<void> {
    const { store, reach, enqueue } = this.#around
    const { signal } = new AbortController()
    for (;;) {
      const items = this.#next(bucket)
      if (items.length === 0 || store.held) return
      // If everything is to be replaced, no check is needed.
      const asked = items.filter(({ batch }) => batch.ifTaken !== 'replace')
      const taken = await persistently({ signal, reach }, async () =>
        asked.length === 0 ? new Map<Item, Taken>() : findTaken(bucket, asked, signal),
      ).catch((error: unknown) => {
        // Users who can only write get no answer here. Then each upload finds out by itself.
        if (error instanceof ProblemError && error.response.status === 403) return new Map<Item, Taken>()
        throw error
      })
      for (const item of items) {
        if (item.state !== 'checking') continue
        const there = taken.get(item)
        if (item.batch.ifTaken === 'replace') item.overwrite = true
        if (there && !item.overwrite) await this.#meet(item, item.file, there)
        else enqueue(item)
      }
    }
  }

  #next(bucket: string): Item[] {
    const items: Item[] = []
    for (const item of this.#around.store.those('checking')) {
      if (item.batch.bucket === bucket) items.push(item)
      if (items.length === MOST_KEYS) break
    }
    return items
  }

  async #meet(item: Item, file: File | undefined, taken: Taken | undefined): Promise<void> {
    const { store, finish } = this.#around
    const { state } = item
    if (item.uncertain && file && taken?.etag && taken.size === file.size) {
      const parts = /-\d+$/.test(taken.etag) ? (item.upload?.partSize ?? SMALL_BYTES) : undefined
      if ((await etagOfFile(file, parts)) === taken.etag) return finish(item)
    }
    // It was paused or cancelled in the meantime.
    if (item.state !== state) return
    store.sent(item, 0)
    item.clash = { size: taken?.size ?? null, modified: taken?.modified ?? null }
    // The same name in another Unicode form: replacing means that one.
    if (taken && item.copies === 0) item.key = taken.key
    store.set(item, 'conflict')
    const { ifTaken } = item.batch
    if (ifTaken !== 'ask') return this.decide(item, ifTaken)
    if (file && taken) void this.#compare(item, file, taken)
  }

  /** Finds out whether an existing object has the contents of a file, one file after the other, while the user decides. */
  #compare(item: Item, file: File, { size, etag }: Taken): Promise<void> {
    if (etag === null || size !== file.size || file.size > MOST_COMPARED) return Promise.resolve()
    const { clash } = item
    const partSize = /-\d+$/.test(etag) ? partSizeFor(file.size) : undefined
    this.#comparing = this.#comparing.then(async () => {
      if (item.state !== 'conflict' || item.clash !== clash || !clash) return
      const own = await etagOfFile(file, partSize)
      if (own === null || item.clash !== clash) return
      // Parts of another size have another ETag, also of the same contents.
      if (own === etag || partSize === undefined) clash.identical = own === etag
      // Nothing of it is left to be resumed after a reload.
      if (clash.identical && !item.upload) forget(item)
      this.#around.store.tell()
    })
    return this.#comparing
  }
}
