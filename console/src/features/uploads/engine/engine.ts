import { ProblemError } from '../../../../../client/derived.ts'
import { isKeyText } from '../../../../../contract/names.ts'
import { describeProblem } from '../../../api/problem.ts'
import { isAway, onReach, untilReachable } from '../../../api/reach.ts'
import { askArrived } from './arrived.ts'
import { Checker } from './checker.ts'
import type { Found } from './drop.ts'
import { fingerprint } from './hash.ts'
import { type Batch, type Choice, groupOf, type Item, newId, type Problem, SMALL_BYTES, unsent } from './item.ts'
import { flush, forget, save, saveBatch, takeOrphans } from './persist.ts'
import { Unreadable, whenReachable } from './retry.ts'
import { SignedOut, Unreachable } from './send.ts'
import { giveUp, type Means, OtherFile, sendParts, sendSmall } from './sendFile.ts'
import { SLOTS, Slots } from './slots.ts'
import { UploadStore } from './store.ts'

const LARGE_AT_ONCE = 2
/** The abort reason when the user stops an upload. The file's new state is already set. */
const STOPPED = new DOMException('Stopped', 'AbortError')

/** Texts for the errors that the engine itself finds. */
export interface Words {
  badName: Problem
  unreadable: Problem
  otherFile: Problem
  unreachable: Problem
}

/**
 * Uploads this page's files, independently of any view. A file is queued, checked against existing objects, sent (a
 * large one in parts) and done. On the way it can be paused, fail and be retried, be skipped or be cancelled.
 */
export class Engine {
  readonly store = new UploadStore()
  readonly #small = new Set<Item>()
  readonly #large = new Set<Item>()
  readonly #active = { small: 0, large: 0 }
  readonly #slots = new Slots(() => this.#small.size + this.#active.small > 0)
  readonly #checker = new Checker({
    store: this.store,
    reach: whenReachable,
    enqueue: (item) => this.#enqueue(item),
    finish: (item) => this.#finish(item),
    fail: (item, error) => this.#fail(item, toProblem(error)),
  })
  #user = ''
  readonly #words: Words
  readonly #arrived: (bucket: string) => void

  /** `arrived` is called for every uploaded file. */
  constructor(words: Words, arrived: (bucket: string) => void) {
    this.#words = words
    this.#arrived = arrived
    onReach(() => {
      this.store.offline = isAway()
      this.store.tell()
      this.#pump()
    })
  }

  /** Sets the user. A previous user's uploads are dropped, and can be resumed by that user. */
  serve(user: string): void {
    if (this.#user !== '' && this.#user !== user) {
      for (const item of this.store.items.values()) this.#stop(item)
      this.#small.clear()
      this.#large.clear()
      this.store.remove(this.store.items.values())
    }
    this.#user = user
  }

  /** Adds files to the queue and returns how many are new. Files of interrupted uploads are recognised. */
  async add(
    target: Pick<Batch, 'bucket' | 'prefix' | 'ifTaken' | 'handles'>,
    found: readonly Found[],
  ): Promise<number> {
    if (this.store.count(...unsent) === 0) this.clear()
    const batch: Batch = { id: newId(), ...target }
    const nameOf = (bucket: string, key: string) => `${bucket}\n${key}`
    const here = new Map<string, Item>()
    for (const item of this.store.items.values())
      if (unsent.includes(item.state) || item.state === 'lost') here.set(nameOf(item.batch.bucket, item.key), item)
    const items: Item[] = []
    const back: [Item, File][] = []
    for (const { path, file } of found) {
      const key = batch.prefix + path
      const name = nameOf(batch.bucket, key)
      const known = here.get(name)
      if (known?.state === 'lost' && isSame(known, file)) back.push([known, file])
      else if (!known || known.state === 'lost') {
        const item = newItem(batch, path, key, file)
        here.set(name, item)
        items.push(item)
      }
    }
    const bad = items.filter(({ key }) => !isKeyText(key, 1))
    const good = items.filter((item) => !bad.includes(item))
    this.store.add(items)
    for (const item of bad) this.#fail(item, this.#words.badName)
    if (good.length > 0) await saveBatch(batch, good, this.#user)
    for (const [item, file] of back) await this.#attach(item, file)
    this.#checker.check(batch.bucket)
    return items.length + back.length
  }

  /** Restores uploads that a closed page left unfinished. Returns how many need their files again. */
  async recall(): Promise<number> {
    const items = await takeOrphans(this.#user)
    this.store.add(items)
    void askArrived(items, whenReachable, (item, bytes) => {
      if (item.state === 'lost') this.store.sent(item, Math.min(item.size, bytes))
    })
    return items.length
  }

  /** The interrupted uploads that these files would resume, as far as name, size and time tell. */
  interrupted({ bucket, prefix }: Pick<Batch, 'bucket' | 'prefix'>, found: readonly Found[]): Item[] {
    const lost = [...this.store.those('lost')].filter(({ batch }) => batch.bucket === bucket)
    if (lost.length === 0) return []
    const files = new Map(found.map(({ path, file }) => [prefix + path, file]))
    return lost.filter((item) => {
      const file = files.get(item.key)
      return file !== undefined && isSame(item, file)
    })
  }

  /** Resumes interrupted uploads whose files were chosen again. Returns how many. */
  async reattach(found: readonly Found[]): Promise<number> {
    const waiting = new Map<string, Item[]>()
    const nameOf = (path: string, size: number, modified: number) =>
      `${path.slice(path.lastIndexOf('/') + 1)}\n${size}\n${modified}`
    for (const item of this.store.those('lost')) {
      const name = nameOf(item.path, item.size, item.modified)
      waiting.set(name, [...(waiting.get(name) ?? []), item])
    }
    let count = 0
    for (const { path, file } of found) {
      const alike = waiting.get(nameOf(path, file.size, file.lastModified)) ?? []
      const item = alike.find((one) => one.path === path || one.path.endsWith(`/${path}`)) ?? alike[0]
      if (!item || !(await this.#attach(item, file))) continue
      waiting.set(
        nameOf(path, file.size, file.lastModified),
        alike.filter((one) => one !== item),
      )
      count++
    }
    return count
  }

  /** Resumes a multipart upload started by another page or machine, if this is its file. */
  async adopt(bucket: string, key: string, upload: { id: string; partSize: number }, file: File): Promise<void> {
    const known = [...this.store.items.values()].find((item) => item.upload?.id === upload.id)
    if (known && unsent.includes(known.state)) return this.resume(known)
    if (known?.state === 'lost' && isSame(known, file) && (await this.#attach(known, file))) return
    if (known) this.store.remove([known])
    const slash = key.lastIndexOf('/') + 1
    const batch: Batch = { id: newId(), bucket, prefix: key.slice(0, slash), ifTaken: 'ask', handles: [] }
    const item = newItem(batch, key.slice(slash), key, file)
    item.upload = { ...upload, parts: new Map(), urls: new Map(), known: false }
    this.store.add([item])
    await saveBatch(batch, [item], this.#user)
    this.#enqueue(item)
  }

  pause(item: Item): void {
    if (!['queued', 'checking', 'running'].includes(item.state)) return
    this.#stop(item)
    this.store.set(item, 'paused')
  }
  /** Resumes a paused file, or retries one that failed or found no room. */
  resume(item: Item): void {
    if (item.state !== 'paused' && item.state !== 'error' && item.state !== 'full') return
    if (item.problem === this.#words.badName) return
    if (item.state === 'full') save(item)
    item.problem = undefined
    if (item.upload) item.upload.known = false
    this.#enqueue(item)
  }
  cancel(item: Item): void {
    if (['done', 'skipped', 'cancelled', 'completing'].includes(item.state)) return
    this.#stop(item)
    this.store.set(item, 'cancelled')
    forget(item)
    void giveUp(item)
  }

  pauseAll(): void {
    this.store.held = true
    for (const item of [...this.store.those('running')]) {
      this.#stop(item)
      this.#enqueue(item, true)
    }
    this.store.tell()
  }
  resumeAll(): void {
    this.store.held = false
    for (const item of [...this.store.those('paused')]) this.resume(item)
    for (const bucket of new Set([...this.store.those('checking')].map(({ batch }) => batch.bucket)))
      this.#checker.check(bucket)
    this.#pump()
    this.store.tell()
  }
  cancelAll(): void {
    for (const state of [...unsent, 'lost'] as const) for (const item of [...this.store.those(state)]) this.cancel(item)
    this.store.held = false
    void flush()
  }
  retryAll(): void {
    for (const item of [...this.store.those('error')]) this.resume(item)
  }
  /** Tries all uploads to a bucket that was full. */
  reopen(bucket: string): void {
    for (const item of [...this.store.those('full')]) if (item.batch.bucket === bucket) this.resume(item)
  }
  /**
   * Tries as many of the uploads to a bucket that was full as fit into this room, unless some are still under way there.
   * Returns how many.
   */
  fill(bucket: string, room: number): number {
    const isIn = ({ batch }: Item) => batch.bucket === bucket
    if (this.store.held || (['running', 'completing'] as const).some((one) => [...this.store.those(one)].some(isIn)))
      return 0
    let [left, count] = [room, 0]
    for (const item of [...this.store.those('full')].filter(isIn)) {
      const missing = item.size - arrivedOf(item)
      if (missing > left) continue
      left -= missing
      count++
      this.resume(item)
    }
    return count
  }
  /** Removes finished files from the list. */
  clear(): void {
    for (const state of ['done', 'skipped', 'cancelled'] as const) this.store.remove(this.store.those(state))
  }

  /** Applies the user's choice to a file that already exists. */
  decide(item: Item, choice: Choice): void {
    this.#checker.decide(item, choice)
  }
  /** Applies the choice to all waiting files, and to later ones of the same batches. */
  decideAll(choice: Choice): void {
    for (const item of [...this.store.those('conflict')]) {
      item.batch.ifTaken = choice
      this.decide(item, choice)
    }
  }

  /** Skips the waiting files whose contents are there already. */
  skipIdentical(): void {
    for (const item of [...this.store.those('conflict')]) if (item.clash?.identical) this.decide(item, 'skip')
  }

  async #attach(item: Item, file: File): Promise<boolean> {
    if (item.upload && item.fingerprint !== undefined && (await fingerprint(file)) !== item.fingerprint) return false
    item.file = file
    if (item.upload) this.#enqueue(item)
    else {
      this.store.set(item, 'checking')
      this.#checker.check(item.batch.bucket)
    }
    return true
  }

  #stop(item: Item): void {
    item.running?.abort(STOPPED)
    item.running = undefined
    this.#small.delete(item)
    this.#large.delete(item)
    this.store.sent(item, arrivedOf(item))
  }
  #fail(item: Item, problem: Problem): void {
    item.problem = problem
    this.store.set(item, 'error')
  }

  #enqueue(item: Item, first = false): void {
    this.store.set(item, 'queued')
    const queue = item.size <= SMALL_BYTES && !item.upload ? this.#small : this.#large
    if (first) {
      const rest = [...queue]
      queue.clear()
      for (const one of [item, ...rest]) queue.add(one)
    } else queue.add(item)
    this.#pump()
  }

  #pump(): void {
    const { held, offline } = this.store
    if (held || offline) return
    for (const [kind, queue, most] of [
      ['small', this.#small, SLOTS],
      ['large', this.#large, LARGE_AT_ONCE],
    ] as const)
      while (this.#active[kind] < most) {
        const [item] = queue
        if (!item) break
        queue.delete(item)
        this.#active[kind]++
        void this.#run(item, kind).finally(() => {
          this.#active[kind]--
          this.#pump()
        })
      }
  }

  async #run(item: Item, kind: 'small' | 'large'): Promise<void> {
    const { file } = item
    if (!file) return this.store.set(item, 'lost')
    const control = new AbortController()
    item.running = control
    this.store.set(item, 'running')
    const own = () => item.running === control
    const means: Means = {
      slots: this.#slots,
      signal: control.signal,
      save,
      reach: whenReachable,
      sent: (_, bytes) => own() && this.store.sent(item, bytes),
      completing: () => own() && this.store.set(item, 'completing'),
    }
    try {
      await (kind === 'small' ? sendSmall : sendParts)(item, file, means)
      if (own()) this.#finish(item)
    } catch (error) {
      if (!control.signal.aborted) await this.#settle(item, file, error)
    } finally {
      if (own()) item.running = undefined
    }
  }

  #finish(item: Item): void {
    forget(item)
    this.store.set(item, 'done')
    this.#rest()
    this.#arrived(item.batch.bucket)
  }

  /** Handles a file that could not be sent. */
  async #settle(item: Item, file: File, error: unknown): Promise<void> {
    const code = error instanceof ProblemError ? error.problem.code : undefined
    if (code === 'precondition_failed') return this.#checker.refused(item, file)
    this.store.sent(item, 0)
    if (code === 'quota_exceeded') return this.#stopBucket(item, toProblem(error))
    if (error instanceof SignedOut) {
      this.#enqueue(item, true)
      return this.pauseAll()
    }
    const { unreadable, otherFile, unreachable } = this.#words
    if (error instanceof Unreadable) this.#fail(item, unreadable)
    else if (error instanceof OtherFile) this.#fail(item, otherFile)
    else if (error instanceof Unreachable || error instanceof TypeError) this.#fail(item, unreachable)
    else this.#fail(item, toProblem(error))
  }

  /** One file found no room, so the bucket's others are not tried either. */
  #stopBucket(item: Item, problem: Problem): void {
    const wait = (one: Item) => {
      one.problem = problem
      this.store.set(one, 'full')
      // Nothing of it was begun: a later page has nothing to resume.
      if (!one.upload) forget(one)
    }
    wait(item)
    for (const state of ['queued', 'checking'] as const)
      for (const other of [...this.store.those(state)]) {
        if (other.batch.bucket !== item.batch.bucket) continue
        this.#stop(other)
        wait(other)
      }
    this.#rest()
  }

  /** Once nothing is sent any more: leaving the page interrupts no file, so none may be offered to be resumed. */
  #rest(): void {
    if (!this.store.isBusy) void flush()
  }

  /** Call when the browser goes offline. */
  wentOffline(): void {
    if (this.store.isBusy) void untilReachable()
  }
}

/** How much of a file the server has in parts. */
const arrivedOf = ({ size, upload }: Item): number =>
  Math.min(size, (upload?.parts.size ?? 0) * (upload?.partSize ?? 0))

const isSame = (item: Item, file: File): boolean => item.size === file.size && item.modified === file.lastModified

function toProblem(error: unknown): Problem {
  const { title, detail } = describeProblem(error)
  return { title, detail, code: error instanceof ProblemError ? error.problem.code : 'unknown' }
}

const newItem = (batch: Batch, path: string, key: string, file: File): Item => ({
  id: newId(),
  batch,
  path,
  key,
  file,
  group: groupOf(path),
  size: file.size,
  modified: file.lastModified,
  state: 'checking',
  sent: 0,
  overwrite: false,
  uncertain: false,
  problem: undefined,
  clash: undefined,
  copies: 0,
  upload: undefined,
  fingerprint: undefined,
  running: undefined,
})
