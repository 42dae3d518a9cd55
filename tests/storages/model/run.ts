import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProblemError } from '../../../client/derived.ts'
import type { Command } from './commands.ts'
import { LARGEST_INLINE, type World } from './world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const PART = 5 * 1024 ** 2
type Of<Op extends Command['op']> = Extract<Command, { op: Op }>
type Bytes = Buffer<ArrayBuffer>

/** How a request ended: its status, or 0 if the connection did. */
const statusOf = (request: Promise<unknown>): Promise<number> =>
  request.then(
    () => 200,
    (error: ProblemError) => error.problem?.status ?? 0,
  )

/**
 * Two buckets, one on the default storage, one on another, each of which may have one of two mirrors; and what must be in them.
 * Whether a read has to succeed is said by the files themselves: it has to if any place of its storage that is there has all
 * bytes. What is read has to be right, always.
 */
export class Run {
  readonly world: World
  readonly buckets: readonly [string, string]
  /** The names of both storages, and of those that may be their mirrors: each is a place. */
  readonly storages: readonly [string, string]
  readonly mirrors: readonly [string, string]
  readonly held = [new Map<string, Bytes>(), new Map<string, Bytes>()] as const
  readonly #away = new Set<string>()
  /** What was damaged, as `blob place`, and how often. */
  readonly #damaged = new Map<string, number>()
  /** Places that were a mirror, and are not any more: what is there stays. */
  readonly #dropped = new Set<string>()
  /** Whether a mirror became the first place although it lacked copies: what it lacks is repaired, and recorded as that. */
  #hasAccepted = false
  figures = { reads: 0, refused: 0, crashes: 0, damaged: 0, healed: 0, unreadable: 0 }

  private constructor(world: World, names: Pick<Run, 'buckets' | 'storages' | 'mirrors'>) {
    this.world = world
    this.buckets = names.buckets
    this.storages = names.storages
    this.mirrors = names.mirrors
  }

  static async begin(world: World, number: number): Promise<Run> {
    const { admin, folderOf } = world
    const [own, one, two] = ['own', 'one', 'two'].map((name) => `${name}-${number}`) as [string, string, string]
    for (const name of [own, one, two])
      await admin.createStorage({ body: { name, kind: 'file', folder: folderOf(name) } })
    const buckets = [`default-${number}`, `other-${number}`] as const
    await admin.createBucket({ body: { name: buckets[0], trash_days: 0 } })
    await admin.createBucket({ body: { name: buckets[1], trash_days: 0, storage: own } })
    return new Run(world, { buckets, storages: ['default', own], mirrors: [one, two] })
  }

  /** Places by number: those of both storages, and of both mirrors. */
  #place(number: number): string {
    return ['main', this.storages[1], ...this.mirrors][number] as string
  }
  #placeOf(storage: string): string {
    return storage === 'default' ? 'main' : storage
  }

  /** What the service says of the copies of a storage. */
  async #copies(at: number) {
    const storage = this.storages[at] as string
    const { mirror, served_by } = await this.world.admin.getStorage({ params: { storage } })
    const first = this.#placeOf(served_by ?? storage)
    return { mirror, first, second: mirror && this.#placeOf(mirror.storage) }
  }
  async #placesOf(at: number): Promise<string[]> {
    const { first, second } = await this.#copies(at)
    return second === null ? [first] : [first, second]
  }

  async take(one: Command): Promise<void> {
    switch (one.op) {
      case 'put':
        return this.#put(one.at, one.key, randomBytes(one.size))
      case 'parts':
        return this.#putParts(one)
      case 'remove': {
        const status = await statusOf(
          this.world.admin.deleteObject({ params: { bucket: this.buckets[one.at] as string, key: one.key } }),
        )
        assert.equal(status, this.#of(one.at).has(one.key) ? 200 : 404)
        this.#of(one.at).delete(one.key)
        return
      }
      case 'copy':
        return this.#copy(one)
      case 'read':
        return this.#read(one.at, one.key, one.isWhole ? undefined : one)
      case 'mirror':
        return this.#mirror(one)
      case 'failover':
        return this.#failover(one)
      case 'away':
        return this.#leave(this.#place(one.place))
      case 'back':
        return this.#comeBack(this.#place(one.place))
      case 'damage':
        return this.#damage(one)
      case 'work':
        return this.#work(one.minutes)
      case 'scrub':
        return this.#scrub()
      case 'collect':
        return this.#collect()
      case 'crash':
        return this.#crash(one)
    }
  }

  #of(at: number): Map<string, Bytes> {
    return this.held[at] as Map<string, Bytes>
  }

  async #put(at: number, key: string, bytes: Bytes): Promise<void> {
    const bucket = this.buckets[at] as string
    const refusal = await this.#mayBeRefused(at, bytes.length)
    const status = await statusOf(this.world.admin.putObject({ params: { bucket, key }, body: bytes }))
    await this.#acknowledged(at, key, { status, bytes, refusal })
  }

  /** Whether a place that is away may have an upload refused: the first, or, with `both`, any. */
  async #mayBeRefused(at: number, size: number): Promise<boolean> {
    if (size <= LARGEST_INLINE) return false
    const { first, second, mirror } = await this.#copies(at)
    const isStrict = mirror?.acknowledge === 'both' && mirror.when_down === 'refuse'
    return this.#away.has(first) || (isStrict && this.#away.has(second ?? ''))
  }

  async #acknowledged(
    at: number,
    key: string,
    { status, bytes, refusal }: { status: number; bytes: Bytes; refusal: boolean },
  ): Promise<void> {
    if (refusal) {
      assert.notEqual(status, 200, `acknowledged although a copy could not be made of ${key}`)
      this.figures.refused++
      return
    }
    assert.equal(status, 200)
    this.#of(at).set(key, bytes)
    if (bytes.length <= LARGEST_INLINE) return
    const { first, second, mirror } = await this.#copies(at)
    const id = await this.#idOf(at, key)
    assert.ok(this.#isWhole(first, id, bytes), `acknowledged without its bytes: ${key}`)
    if (mirror?.acknowledge === 'both' && second !== null && !this.#away.has(second))
      assert.ok(this.#isWhole(second, id, bytes), `acknowledged without its second copy: ${key}`)
  }

  async #putParts({ at, key, size }: Of<'parts'>): Promise<void> {
    const { admin, url, token } = this.world
    const params = { bucket: this.buckets[at] as string }
    // Where a place is away, parts are refused at other steps than what is sent at once; that is not looked into here.
    if ((await this.#placesOf(at)).some((place) => this.#away.has(place))) return
    const bytes = randomBytes(PART + size)
    const { upload_id, urls } = await admin.initUpload({
      params,
      body: { key, file_size: bytes.length, part_size: PART },
    })
    const parts: { part_number: number; etag: string }[] = []
    for (const [i, body] of [bytes.subarray(0, PART), bytes.subarray(PART)].entries()) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(url + new URL(urls[i] ?? '').pathname, { method: 'PUT', body, headers })
      await answer.arrayBuffer()
      parts.push({ part_number: i + 1, etag: answer.headers.get('etag') ?? '' })
    }
    const status = await statusOf(admin.completeUpload({ params, body: { upload_id, parts } }))
    await this.#acknowledged(at, key, { status, bytes, refusal: false })
  }

  async #copy({ at, key, to, toKey }: Of<'copy'>): Promise<void> {
    if (at === to && key === toKey) return
    const bytes = this.#of(at).get(key)
    const body = { source_bucket: this.buckets[at] as string, source_key: key, dest_key: toKey }
    const status = await statusOf(this.world.admin.copyObject({ params: { bucket: this.buckets[to] as string }, body }))
    if (!bytes) return assert.equal(status, 404)
    if (status === 200) {
      this.#of(to).set(toKey, bytes)
      return
    }
    // Within a storage it is another row. To another, bytes are read and written.
    assert.notEqual(at, to)
    const isReadable = bytes.length <= LARGEST_INLINE || (await this.#wholePlaces(at, key, bytes)).length > 0
    assert.ok(!isReadable || (await this.#mayBeRefused(to, bytes.length)), `not copied: ${status}`)
  }

  async #read(at: number, key: string, range?: { from: number; length: number }): Promise<void> {
    this.figures.reads++
    const { url, token, admin } = this.world
    const bucket = this.buckets[at] as string
    const bytes = this.#of(at).get(key)
    if (!bytes) return assert.equal(await statusOf(admin.getObject({ params: { bucket, key } })), 404)
    const start = range && bytes.length > 0 ? range.from % bytes.length : undefined
    const wanted = start === undefined ? bytes : bytes.subarray(start, start + (range?.length ?? 0))
    const headers = {
      authorization: `Bearer ${token}`,
      ...(start !== undefined && { range: `bytes=${start}-${start + wanted.length - 1}` }),
    }
    const isReadable = bytes.length <= LARGEST_INLINE || (await this.#wholePlaces(at, key, bytes)).length > 0
    const got = await fetch(`${url}/api/v1/buckets/${bucket}/objects/${key}`, { headers })
      .then(async (answer) => {
        const body = Buffer.from(await answer.arrayBuffer())
        return answer.ok ? body : answer.status
      })
      .catch(() => 0)
    if (typeof got === 'number') {
      assert.ok(!isReadable, `not read although a copy is whole: ${got}`)
      this.figures.unreadable++
    } else assert.ok(got.equals(wanted), `other bytes of ${key}`)
  }

  async #mirror({ at, to, acknowledge, when_down, keep_removed_days }: Of<'mirror'>): Promise<void> {
    const params = { storage: this.storages[at] as string }
    const { second } = await this.#copies(at)
    const mirror =
      to === undefined ? null : { storage: this.mirrors[to] as string, acknowledge, when_down, keep_removed_days }
    const status = await statusOf(this.world.admin.updateStorage({ params, body: { mirror } }))
    if (status !== 200) {
      // It is the first place itself, or one that cannot be reached.
      const isSame = (await this.#copies(at)).first === mirror?.storage
      return assert.ok(isSame || this.#away.has(mirror?.storage ?? ''), `the mirror was not set: ${status}`)
    }
    const now = await this.#placesOf(at)
    if (second !== null && !now.includes(second)) this.#dropped.add(second)
  }

  async #failover({ at, accept }: Of<'failover'>): Promise<void> {
    const { mirror, first, second } = await this.#copies(at)
    const params = { storage: this.storages[at] as string }
    const status = await statusOf(this.world.admin.failoverStorage({ params, body: { accept_missing: accept } }))
    if (!mirror || this.#away.has(second ?? '') || !(mirror.complete || accept || mirror.copies_due === 0))
      return assert.equal(status, 409)
    if (status !== 200) return assert.ok(!accept && !mirror.complete)
    if (!mirror.complete) this.#hasAccepted = true
    assert.deepEqual(await this.#placesOf(at), [second, first])
  }

  #leave(place: string): void {
    const folder = this.world.folderOf(place)
    // It is made when it is first used.
    if (this.#away.has(place) || !fs.existsSync(folder)) return
    this.#away.add(place)
    fs.renameSync(folder, `${folder}-away`)
  }
  #comeBack(place: string): void {
    if (!this.#away.delete(place)) return
    const folder = this.world.folderOf(place)
    // Who starts without it may have made another.
    fs.rmSync(folder, { recursive: true, force: true })
    fs.renameSync(`${folder}-away`, folder)
  }

  /** Damages a copy of an object that has another whole one, which the service may read: of the one that is named, or else of any. */
  async #damage({ at, key, which, how, by }: Of<'damage'>): Promise<void> {
    const named = this.#of(at).has(key) ? [[at, key] as const] : []
    const all = [0, 1].flatMap((one) => [...this.#of(one).keys()].map((key) => [one, key] as const))
    for (const [one, name] of [...named, ...all]) {
      const bytes = this.#of(one).get(name) as Bytes
      if (bytes.length <= LARGEST_INLINE) continue
      const places = await this.#placesOf(one)
      const whole = await this.#wholePlaces(one, name, bytes)
      const place = places[which]
      if (place !== undefined && whole.length === 2)
        return this.#change(await this.#idOf(one, name), place, { how, by })
    }
  }
  #change(id: string, place: string, { how, by }: Pick<Of<'damage'>, 'how' | 'by'>): void {
    const files = this.#filesOf(place, id)
    const file = files[Math.floor(by * files.length)] as string
    const was = fs.readFileSync(file)
    // Another name for it may be that of a part of another blob, which is left as it is.
    const write = (now: Uint8Array) => {
      fs.rmSync(file)
      fs.writeFileSync(file, now)
    }
    if (how === 'delete') fs.rmSync(file)
    else if (how === 'cut') write(was.subarray(0, Math.floor(by * was.length)))
    else if (how === 'other') write(randomBytes(was.length))
    else {
      const changed = Math.floor(by * was.length)
      was[changed] = (was[changed] ?? 0) ^ 1
      write(was)
    }
    const name = `${id} ${place}`
    this.figures.damaged++
    this.#damaged.set(name, (this.#damaged.get(name) ?? 0) + 1)
  }

  /** Runs a worker, which may give up while a place is away, and is tried again later. */
  async #tick(worker: string): Promise<void> {
    const isAllThere = this.#away.size === 0
    await this.world.tick(worker).catch((error: unknown) => {
      if (isAllThere) throw error
    })
  }

  async #work(minutes: number): Promise<void> {
    if (minutes > 0) await this.world.advance(minutes * MINUTE_MS)
    await this.#tick('mirror-copies')
  }
  async #scrub(): Promise<void> {
    await this.world.advance(31 * DAY_MS)
    await this.#tick('scrub')
  }
  async #collect(): Promise<void> {
    await this.world.advance(3 * 60 * MINUTE_MS)
    await this.#tick('blob-collector')
  }

  /** Kills the service while it is at work. What was not acknowledged may have happened, all of it or nothing. */
  async #crash({ at, sizes, worker, afterMs }: Of<'crash'>): Promise<void> {
    this.figures.crashes++
    const bucket = this.buckets[at] as string
    const keys = ['a', 'b/c', 'd', 'new']
    const puts = sizes.map(async (size, i) => {
      const [key, bytes] = [keys[i] as string, randomBytes(size)]
      return {
        key,
        bytes,
        status: await statusOf(this.world.admin.putObject({ params: { bucket, key }, body: bytes })),
      }
    })
    const working = worker && this.#tick(worker)
    await pause(afterMs)
    // A service needs its first storage to start, however it is served.
    this.#comeBack('main')
    const crashing = this.world.crash()
    const outcomes = await Promise.all(puts)
    await working
    await crashing
    for (const { key, bytes, status } of outcomes) {
      const { etag } = await this.#find(at, key)
      const isNew = etag === createHash('md5').update(bytes).digest('hex')
      if (status === 200) assert.ok(isNew, `acknowledged and lost: ${key}`)
      if (isNew) this.#of(at).set(key, bytes)
      await this.#read(at, key)
    }
  }

  async #find(at: number, key: string): Promise<{ etag?: string; blob_id?: string }> {
    const row = await this.world.database.db
      .selectFrom('objects')
      .innerJoin('buckets', 'buckets.id', 'objects.bucket_id')
      .where('buckets.name', '=', this.buckets[at] as string)
      .where('key', '=', key)
      .select(['etag', 'blob_id'])
      .executeTakeFirst()
    return row ?? {}
  }
  async #idOf(at: number, key: string): Promise<string> {
    return (await this.#find(at, key)).blob_id ?? assert.fail(`there is no ${key}`)
  }

  /** The files that have the bytes of a blob at a place, in order; none if it is not there. */
  #filesOf(place: string, id: string): string[] {
    const file = path.join(this.world.folderOf(place), id.slice(-2), id)
    if (fs.existsSync(file)) return [file]
    try {
      const number = (name: string) => Number.parseInt(name, 10)
      return fs
        .readdirSync(`${file}.d`)
        .filter((name) => /^\d/.test(name))
        .sort((a, b) => number(a) - number(b))
        .map((name) => path.join(`${file}.d`, name))
    } catch {
      return []
    }
  }
  #isWhole(place: string, id: string, bytes: Bytes): boolean {
    const files = this.#filesOf(place, id)
    return files.length > 0 && Buffer.concat(files.map((file) => fs.readFileSync(file))).equals(bytes)
  }
  async #wholePlaces(at: number, key: string, bytes: Bytes): Promise<string[]> {
    const id = await this.#idOf(at, key)
    return (await this.#placesOf(at)).filter((place) => !this.#away.has(place) && this.#isWhole(place, id, bytes))
  }

  /**
   * Everything is back, and all work is done: each copy is whole of which any was, and nothing else is left. Returns whether the
   * default storage is at its first place again, for another run.
   */
  async settle(): Promise<boolean> {
    const { world } = this
    for (const place of [...this.#away]) this.#comeBack(place)
    const readable: { at: number; key: string; bytes: Bytes }[] = []
    for (const at of [0, 1])
      for (const [key, bytes] of this.#of(at))
        if (bytes.length <= LARGEST_INLINE || (await this.#wholePlaces(at, key, bytes)).length > 0)
          readable.push({ at, key, bytes })
    await this.#work(61)
    await this.#work(61)
    await this.#scrub()
    for (let i = 0; i < 6; i++) await this.#work(61)
    for (const { at, key, bytes } of readable) {
      await this.#read(at, key)
      if (bytes.length <= LARGEST_INLINE) continue
      const places = await this.#placesOf(at)
      const whole = await this.#wholePlaces(at, key, bytes)
      assert.deepEqual(whole, places, `${key} is not whole in ${places.filter((place) => !whole.includes(place))}`)
    }
    await this.#assertCopied(readable.length === this.held[0].size + this.held[1].size)
    await this.#assertReported()
    await this.#assertNothingLeft()
    const { first, second } = await this.#copies(0)
    if (first !== 'main' && second === 'main')
      await world.admin.failoverStorage({ params: { storage: 'default' }, body: { accept_missing: true } })
    for (const storage of this.storages)
      await world.admin.updateStorage({ params: { storage }, body: { mirror: null } })
    for (const at of [0, 1])
      for (const key of this.#of(at).keys())
        await world.admin.deleteObject({ params: { bucket: this.buckets[at] as string, key } })
    await this.#collect()
    return (await this.#copies(0)).first === 'main'
  }

  /** A copy is due of that alone which no place of its storage has whole: until it is collected, such as what was removed after it was lost. */
  async #assertCopied(isAllReadable: boolean): Promise<void> {
    const due = await this.world.database.db
      .selectFrom('copies_due')
      .innerJoin('blobs', 'blobs.id', 'copies_due.blob_id')
      .leftJoin('storages', 'storages.id', 'blobs.storage_id')
      .where('blobs.size', 'is not', null)
      .select(['blobs.id', 'blobs.size', 'storages.name as storage'])
      .execute()
    const isLosing = this.#damaged.size > 0 || this.#dropped.size > 0 || this.#hasAccepted
    for (const at of [0, 1]) {
      const { mirror, first, second } = await this.#copies(at)
      if (!mirror) continue
      const sizeAt = (place: string, id: string) =>
        this.#filesOf(place, id).reduce((sum, file) => sum + fs.statSync(file).size, 0)
      const isThere = (place: string | null, { id, size }: (typeof due)[number]) =>
        place !== null && !this.#damaged.has(`${id} ${place}`) && sizeAt(place, id) === Number(size)
      const own = due.filter(({ storage }) => (storage ?? 'default') === this.storages[at])
      const left = own.filter((one) => isThere(first, one) || isThere(second, one))
      assert.deepEqual(left, [], `copies are due of what is at ${first} or ${second}`)
      assert.equal(mirror.complete, mirror.copies_due === 0)
      if (isAllReadable && !isLosing) assert.equal(mirror.copies_due, 0)
    }
  }

  /** What was damaged is reported, at most once for each damage, and nothing else is. */
  async #assertReported(): Promise<void> {
    const { db } = this.world.database
    const rows = await db.selectFrom('audit').select('details').where('action', '=', 'heal').execute()
    const counts = new Map<string, number>()
    for (const { details } of rows) {
      const { blob_id, storage } = JSON.parse(details) as { blob_id: string; storage: string }
      const place = this.#placeOf(storage)
      if (![0, 1, 2, 3].some((i) => this.#place(i) === place)) continue
      const name = `${blob_id} ${place}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    this.figures.healed += counts.size
    if (this.#hasAccepted) return
    const own = new Set<string>([...this.#damaged.keys()].map((name) => name.slice(0, 36)))
    for (const [name, count] of counts) {
      // Blobs of other runs on the default storage.
      if (!own.has(name.slice(0, 36)) && !(await this.#isOwn(name.slice(0, 36)))) continue
      assert.ok(count <= (this.#damaged.get(name) ?? 0), `reported ${count} times: ${name}`)
    }
  }
  async #isOwn(id: string): Promise<boolean> {
    for (const at of [0, 1])
      for (const key of this.#of(at).keys()) if ((await this.#find(at, key)).blob_id === id) return true
    return false
  }

  /** At the places in use is what objects are made of, once what was removed was kept long enough. */
  async #assertNothingLeft(): Promise<void> {
    await this.#collect()
    await this.world.advance(4 * DAY_MS)
    await this.#tick('mirror-copies')
    await this.#collect()
    const { db } = this.world.database
    const known = new Set((await db.selectFrom('objects').select('blob_id').execute()).map(({ blob_id }) => blob_id))
    for (const at of [0, 1])
      for (const place of await this.#placesOf(at)) {
        if (this.#dropped.has(place)) continue
        const names = fs
          .readdirSync(this.world.folderOf(place), { recursive: true, encoding: 'utf8' })
          .filter((name) => /^\w\w\/[0-9a-f-]{36}/.test(name) && !/\.d\//.test(name))
        const left = names.filter((name) => !known.has(name.slice(3, 39)) || name.endsWith('.tmp'))
        assert.deepEqual(left, [], `left at ${place}`)
      }
  }
}
