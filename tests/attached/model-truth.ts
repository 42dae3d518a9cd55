import assert from 'node:assert/strict'
import { bare, type Foreign } from './foreign.ts'
import { KEYS, MANY, SIZES, type Theirs } from './model-commands.ts'
import type { Taken } from './site.ts'

interface Content {
  bytes: Buffer
  etag: string
}

/** What an engine's bucket is known to hold. */
export class Truth {
  readonly #foreign: Foreign
  /** What is there now. */
  readonly there = new Map<string, Content>()
  /** All that was ever there, by ETag. */
  readonly history = new Map<string, Map<string, Buffer>>()
  #writes = 0
  constructor(foreign: Foreign) {
    this.#foreign = foreign
  }

  /** As lists show an object. */
  shown(name: string): string | undefined {
    const now = this.there.get(name)
    return now && `${now.bytes.length} ${now.etag}`
  }

  /** What is there before anything is attached. */
  async fill(withMany: boolean): Promise<void> {
    for (const [i, key] of KEYS.entries()) await this.#put(key, SIZES[i % SIZES.length] ?? 0, i % 2 === 0)
    if (withMany) await this.change({ op: 'putMany' })
  }

  async change(one: Theirs): Promise<void> {
    const foreign = this.#foreign
    if (one.op === 'delete') {
      await foreign.delete(one.key)
      this.there.delete(one.key)
    } else if (one.op === 'put') await this.#put(one.key, one.size, one.inParts)
    else if (one.op === 'putMany') await Promise.all(MANY.map((name) => this.#put(name, 5, false)))
    else {
      await foreign.delete(...MANY)
      for (const name of MANY) this.there.delete(name)
    }
  }
  async #put(name: string, size: number, inParts: boolean): Promise<void> {
    const foreign = this.#foreign
    // The first byte already differs from that of the write before.
    const bytes = Buffer.alloc(size, `${String.fromCharCode(33 + (++this.#writes % 90))}${this.#writes} `)
    const etag = inParts ? await foreign.putInParts(name, bytes) : bare((await foreign.put(name, bytes)).ETag)
    this.there.set(name, { bytes, etag })
    const history = this.history.get(name) ?? new Map<string, Buffer>()
    this.history.set(name, history.set(etag, bytes))
  }

  /** What is sent was there at some time, under this ETag. */
  assertSent(name: string, read: Taken): void {
    if (read.kind !== 'whole' && read.kind !== 'part') return
    const bytes = this.history.get(name)?.get(read.etag) ?? assert.fail(`${name} never had the ETag ${read.etag}`)
    const [, from, to] = /bytes (\d+)-(\d+)\//.exec(read.range ?? '') ?? [null, 0, bytes.length - 1]
    assert.ok(
      read.bytes.equals(bytes.subarray(Number(from), Number(to) + 1)),
      `${name} has other bytes than its ETag says`,
    )
  }
}
