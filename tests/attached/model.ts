import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import type { TestServer } from '../support/server.ts'
import { bare, type Foreign } from './foreign.ts'
import { type Command, KEYS, type Read } from './model-commands.ts'
import type { Truth } from './model-truth.ts'
import { type EngineProxy, isList } from './proxy.ts'
import { report } from './records.ts'
import type { Site, Taken } from './site.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** As long as a short outage. */
const MOMENT_MS = 250

/** What a run works on. */
export interface Parts {
  server: TestServer
  /** Another process on the same database, which takes over what this one was working on. */
  other: Running
  site: Site
  proxy: EngineProxy
  foreign: Foreign
  truth: Truth
  bucket: string
  storage: string
  token: string
}

/** An engine's bucket, what it is known to hold, and the bucket of ours that shows it. */
export class Run {
  readonly #parts: Parts
  readonly #truth: Truth
  /** Which are marked as missing, and since when at the earliest. */
  readonly #marked = new Map<string, number>()
  /** Whether others wrote something after the engine had said what became of an object. */
  #isLate = false
  /** What the engine said is gone, to reads of this step that others may have written after. */
  readonly #saidGone = new Set<string>()
  constructor(parts: Parts) {
    this.#parts = parts
    this.#truth = parts.truth
  }

  /** Takes a step, and checks what must hold after each. */
  async take(one: Command): Promise<void> {
    const { site, bucket, proxy, server } = this.#parts
    const [time, shown] = [server.clock.now().getTime(), await site.shown(bucket)]
    const marked = new Set(this.#marked.keys())
    this.#isLate = false
    this.#saidGone.clear()
    await this.#perform(one)
    const isHeld = one.op === 'outage' && one.during === 'scan' && (await site.lastScan(bucket)).status === 'held'
    const [markedNow, shownNow] = [await site.missing(bucket), await site.shown(bucket)]
    for (const name of markedNow.filter((name) => !marked.has(name))) {
      assert.ok(!isHeld, 'an outage marks nothing')
      const isOlder = this.#isLate || this.#saidGone.has(name)
      assert.ok(isOlder || !this.#truth.there.has(name), `${name} is marked as missing, but is there`)
    }
    for (const name of [...shown.keys()].filter((name) => !shownNow.has(name))) {
      assert.ok(!isHeld, 'an outage removes nothing')
      assert.ok(this.#isLate || !this.#truth.there.has(name), `${name} was removed, but is there`)
      const since = this.#marked.get(name) ?? assert.fail(`${name} was removed without having been missing`)
      assert.ok(server.clock.now().getTime() - since >= DAY_MS, `${name} was removed too early`)
    }
    for (const name of marked) if (!markedNow.includes(name)) this.#marked.delete(name)
    for (const name of markedNow) this.#marked.set(name, this.#marked.get(name) ?? time)
    await this.#assertCounted(shownNow)
    assert.deepEqual(
      proxy.log.filter(({ method }) => method !== 'GET' && method !== 'HEAD'),
      [],
    )
  }

  async #perform(one: Command): Promise<unknown> {
    const { server, site, bucket } = this.#parts
    switch (one.op) {
      case 'put':
      case 'delete':
      case 'putMany':
      case 'deleteMany':
        return this.#truth.change(one)
      case 'read':
        return this.#read(one)
      case 'slowRead':
        return this.#readSlowly(one)
      case 'report':
        return this.#report(one.key)
      case 'lookAtReports':
        return server.running.tick('scan-hints')
      case 'scan':
        return this.#scan()
      case 'slowScan':
        return this.#scanSlowly(one)
      case 'outage':
        return this.#fail(one)
      case 'later':
        return server.later(one.hours * HOUR_MS)
      case 'confirm': {
        const scan = await site.lastScan(bucket)
        if (scan.status !== 'held' || !['many_missing', 'empty'].includes(scan.held_reason ?? '')) return
        await server.admin.confirmScan({ params: { scan: scan.id } })
        return site.finishScan(bucket)
      }
    }
  }

  async #readAnyhow({ key: name }: Read): Promise<Taken> {
    const { site, bucket } = this.#parts
    const read = await site.read(bucket, name)
    this.#truth.assertSent(name, read)
    return read
  }

  /** A read while nobody interferes sends what is there now. */
  async #read({ key: name, way: how, pick }: Read): Promise<void> {
    const { site, bucket, server } = this.#parts
    const isKnown = (await site.shown(bucket)).has(name)
    const now = this.#truth.there.get(name)
    const etags = [...(this.#truth.history.get(name)?.keys() ?? ['none'])]
    const some = etags[pick % etags.length] as string
    if (how === 'head') {
      const head = await server.admin.headObject({ params: { bucket, key: name } }).catch(() => undefined)
      if (head)
        assert.deepEqual(
          [bare(head.headers.get('etag') ?? ''), head.headers.get('content-length')],
          [now?.etag, String(now?.bytes.length)],
        )
      else assert.ok(!now || !isKnown)
      return
    }
    const headers: Record<string, Record<string, string>> = {
      range: { range: 'bytes=1-70' },
      suffix: { range: 'bytes=-2' },
      'if-match': { 'if-match': `"${some}"` },
      'if-none-match': { 'if-none-match': `"${some}"` },
      'if-range': { range: 'bytes=0-1', 'if-range': `"${some}"` },
    }
    const read = await site.read(bucket, name, headers[how])
    this.#truth.assertSent(name, read)
    const found = read.kind === 'problem' ? read.code : read.kind
    if (!now || !isKnown)
      return void assert.ok(['not_found', 'whole'].includes(found) && (now || found === 'not_found'), found)
    const expected = {
      whole: 'whole',
      range: now.bytes.length > 1 ? 'part' : 'range_not_satisfiable',
      suffix: now.bytes.length > 0 ? 'part' : 'whole',
      'if-match': some === now.etag ? 'whole' : 'precondition_failed',
      'if-none-match': some === now.etag ? 'unmodified' : 'whole',
      'if-range': some !== now.etag ? 'whole' : now.bytes.length > 0 ? 'part' : 'range_not_satisfiable',
    }[how]
    assert.equal(found, expected, `${how} of ${name}: ${JSON.stringify(read)}`)
    if (read.kind === 'whole' || read.kind === 'part') assert.equal(read.etag, now.etag, 'it is what is there now')
  }

  async #readSlowly({ key: name, nth, meanwhile, sameSize }: Extract<Command, { op: 'slowRead' }>): Promise<void> {
    const { site, bucket, proxy } = this.#parts
    const held = proxy.hold(nth)
    const reading = site.read(bucket, name)
    // Where it ends without so many requests, nothing is to be kept back.
    await Promise.race([held.reached, reading.then(held.release)])
    this.#isLate = true
    for (const step of meanwhile) {
      const size = (sameSize ? this.#truth.there.get(name)?.bytes.length : undefined) ?? 100
      await this.#truth.change(step.op === 'put' ? { ...step, key: name, size } : { ...step, key: name })
    }
    held.release()
    this.#truth.assertSent(name, await reading)
  }

  /** A scan while nobody interferes ends as the number of objects says that are gone. */
  async #scan(): Promise<void> {
    const { site, bucket } = this.#parts
    const shown = await site.shown(bucket)
    const gone = [...shown.keys()].filter((name) => !this.#truth.there.has(name) && !this.#marked.has(name)).length
    const many = gone > Math.max(100, shown.size / 20) ? 'many_missing' : null
    const { status, held_reason } = await site.scan(bucket)
    const expected = gone > 0 && this.#truth.there.size === 0 ? 'empty' : many
    assert.deepEqual([status, held_reason], [expected ? 'held' : 'succeeded', expected])
  }

  async #report(name: string): Promise<void> {
    const { server, storage, token, foreign } = this.#parts
    const status = await report(server, { storage, token }, foreign.bucket, name)
    assert.equal(status, 204)
  }

  async #scanSlowly({ nth, meanwhile: steps, end }: Extract<Command, { op: 'slowScan' }>): Promise<void> {
    const { server, other, site, bucket, proxy } = this.#parts
    const silent = { now: server.clock.now, timers: false }
    const first =
      end === 'stopped' ? await start(readConfig({ ...server.env, LOG_LEVEL: 'silent' }), silent) : server.running
    const held = proxy.hold(nth)
    // It works on the scan in the background, from now on.
    const { id } = await createClient({ baseUrl: first.url, token: server.adminToken }).startScan({
      params: { bucket },
    })
    const working = first.tick('attached-scans')
    const reached = await Promise.race([held.reached, working.then(held.release)])
    this.#isLate = !reached || !isList(reached)
    server.clock.advance(1000)
    // What a read has found out is not set back by the older list.
    const fresh = new Set<string>()
    for (const step of steps)
      if (step.op === 'read') {
        if (!this.#truth.there.has(step.key)) this.#saidGone.add(step.key)
        const { kind } = await this.#readAnyhow(step)
        if (kind === 'whole') fresh.add(step.key)
      } else {
        await this.#truth.change(step)
        fresh.delete(step.key)
      }
    const whatIsKnown = async () => [
      [...(await site.shown(bucket))],
      await site.missing(bucket),
      await server.admin.getScan({ params: { scan: id } }),
    ]
    let known: unknown
    if (end === 'killed') {
      await server.later(HOUR_MS / 4)
      await other.tick('attached-scans')
      known = await whatIsKnown()
    }
    const stopping = end === 'stopped' ? first.stop() : undefined
    held.release()
    await Promise.all([working, stopping])
    if (end === 'killed') assert.deepEqual(await whatIsKnown(), known, 'whoever has lost a scan writes nothing')
    await site.finishScan(bucket)
    const shown = await site.shown(bucket)
    for (const name of fresh) assert.equal(shown.get(name), this.#truth.shown(name), `${name} was set back`)
    const { status } = await server.admin.getScan({ params: { scan: id } })
    assert.ok(['succeeded', 'held', 'superseded'].includes(status), status)
  }

  async #fail(one: Extract<Command, { op: 'outage' }>): Promise<void> {
    const { server, site, bucket, proxy } = this.#parts
    const { fault, during, key: name, lasts } = one
    const isEmpty = [...(await site.shown(bucket)).keys()].every((name) => this.#marked.has(name))
    await proxy.misbehave(fault)
    try {
      if (during === 'scan') {
        // These end a scan without another try.
        const isFinal = fault.kind === 'empty' || (fault.kind === 'status' && fault.status === 500)
        const scanning = site.scan(bucket)
        if (!lasts && !isFinal) {
          await pause(MOMENT_MS)
          await proxy.misbehave(null)
        }
        const { held_reason, detail } = await scanning
        if ((lasts || isFinal) && !(isEmpty && fault.kind === 'empty'))
          assert.equal(held_reason, fault.kind === 'empty' ? 'empty' : 'listing_failed', detail ?? '')
      } else if (during === 'read') this.#truth.assertSent(name, await site.read(bucket, name))
      else {
        await this.#report(name)
        // It says so, and tries again later.
        await server.running.tick('scan-hints').catch(() => undefined)
      }
    } finally {
      await proxy.misbehave(null)
    }
  }

  async #assertCounted(shown: ReadonlyMap<string, string>): Promise<void> {
    const { server, bucket } = this.#parts
    const { used_bytes, object_count } = await server.admin.getBucket({ params: { bucket } })
    const bytes = [...shown.values()].reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)
    assert.deepEqual([object_count, used_bytes], [shown.size, bytes], 'what is counted is what is shown')
  }

  /** When all is quiet: what is shown is what is there. */
  async settle(): Promise<void> {
    const { site, bucket } = this.#parts
    const scan = await site.settle(bucket)
    assert.equal(scan.status, 'succeeded', scan.detail ?? '')
    const there = [...this.#truth.there.keys()].map((name) => [name, this.#truth.shown(name) ?? ''])
    const byKey = (all: string[][]) =>
      all.sort(([one = ''], [two = '']) => Buffer.compare(Buffer.from(one), Buffer.from(two)))
    const shown = await site.shown(bucket)
    assert.deepEqual(
      [...shown].map((one) => [...one]),
      byKey(there),
    )
    assert.deepEqual(await site.missing(bucket), [])
    await this.#assertCounted(shown)
    for (const name of KEYS) await this.#read({ op: 'read', key: name, way: 'whole', pick: 0 })
  }

  /** Releasing it changes nothing of what is there. */
  async release(): Promise<void> {
    const { server, bucket, foreign, storage, proxy } = this.#parts
    const before = await foreign.versions()
    const { objects } = await server.admin.releaseBucket({ params: { bucket } })
    assert.equal(objects, this.#truth.there.size)
    await server.running.tick()
    await server.admin.deleteStorage({ params: { storage } })
    assert.deepEqual(await foreign.versions(), before)
    for (const [name, { bytes }] of this.#truth.there)
      if (!name.startsWith('many/')) assert.ok((await foreign.bytesOf(name)).equals(bytes), name)
    assert.ok(proxy.log.every(({ method }) => method === 'GET' || method === 'HEAD'))
  }
}
