import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { describe, mock, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { collect, describeDriver, inChunks, list, putBytes } from '../server/blobs/conformance.ts'
import { type BlobDriver, BlobMissing } from '../server/blobs/driver.ts'
import { fileDriver } from '../server/blobs/fs.ts'
import { openBlobs } from '../server/blobs/open.ts'
import { sharedSync } from '../server/shared-sync.ts'

const MiB = 1024 * 1024
const makeFolder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'stowage-blobs-'))

describeDriver('file driver', async () => {
  const folder = makeFolder()
  const driver = await openBlobs(`file:${folder}/blobs`)
  return { driver, dispose: () => fs.promises.rm(folder, { recursive: true }) }
})

/** A driver on a new folder; both are gone after the test. */
function openFiles(t: TestContext, make = fileDriver): { driver: BlobDriver; folder: string } {
  const folder = makeFolder()
  const driver = make(folder)
  t.after(async () => {
    await driver.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return { driver, folder }
}

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))

const fileOf = (folder: string, id: string) => path.join(folder, id.slice(-2), id)
const failure = (code: string) => Object.assign(new Error(code), { code })

describe('files', () => {
  test('a blob is one private file named by its id', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = await putBytes(driver, randomBytes(10))
    assert.deepEqual(filesIn(folder), [`${id.slice(-2)}/${id}`])
    assert.equal(fs.statSync(fileOf(folder, id)).mode & 0o777, 0o600)
    assert.equal(fs.statSync(folder).mode & 0o077, 0)
  })

  test('a killed put leaves nothing readable, and remove takes away the rest', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = randomUUID()
    const script = `
      import { fileDriver } from ${JSON.stringify(path.resolve('server/blobs/fs.ts'))}
      async function* endless() {
        for (;;) { yield Buffer.alloc(65536, 1); await new Promise((resolve) => setTimeout(resolve, 1)) }
      }
      await fileDriver(${JSON.stringify(folder)}).put('${id}', endless())`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    const left = `${fileOf(folder, id)}.tmp`
    while ((fs.statSync(left, { throwIfNoEntry: false })?.size ?? 0) < MiB) await sleep(10)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('exit', resolve))

    assert.deepEqual(filesIn(folder), [path.relative(folder, left)])
    await assert.rejects(driver.get(id, MiB), BlobMissing)
    assert.deepEqual(await list(driver), [])
    await driver.remove(id)
    assert.deepEqual(filesIn(folder), [])
  })

  test('a truncated file is an error before the first byte', async (t) => {
    const { driver, folder } = openFiles(t)
    for (const size of [10, 3 * MiB]) {
      const bytes = randomBytes(size)
      const id = await putBytes(driver, bytes)
      fs.truncateSync(fileOf(folder, id), size - 1)
      await assert.rejects(driver.get(id, size), BlobMissing)
      await assert.rejects(driver.get(id, size, { start: size - 1, end: size - 1 }), BlobMissing)
      const range = { start: 0, end: size - 2 }
      assert.ok((await collect(await driver.get(id, size, range))).equals(bytes.subarray(0, -1)))
    }
  })

  test('a file truncated while it is read is an error of the stream', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = await putBytes(driver, randomBytes(8 * MiB))
    const body = (await driver.get(id, 8 * MiB)) as Readable
    await assert.rejects(async () => {
      for await (const _ of body) fs.truncateSync(fileOf(folder, id), 2 * MiB)
    }, BlobMissing)
  })

  test('files that are not blobs are not listed', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = await putBytes(driver, randomBytes(10))
    const shard = path.dirname(fileOf(folder, id))
    fs.writeFileSync(path.join(shard, '.DS_Store'), '')
    fs.writeFileSync(path.join(shard, `${id.slice(0, -2)}${shard.endsWith('00') ? '01' : '00'}`), '')
    fs.mkdirSync(path.join(shard, `${randomUUID().slice(0, -2)}${shard.slice(-2)}`))
    assert.deepEqual(
      (await list(driver)).map((blob) => blob.id),
      [id],
    )
  })

  test('nothing is made outside the folder', async (t) => {
    const { driver, folder: outer } = openFiles(t)
    const inner = path.join(outer, 'a', 'b')
    const nested = fileDriver(inner)
    const before = filesIn(outer)
    const uuid = randomUUID()
    for (const id of [`../${uuid}`, `../../${uuid}`, `/${uuid}`, '..', `${outer}/x`, `${uuid.slice(0, -3)}/..`]) {
      await assert.rejects(nested.put(id, inChunks(randomBytes(10))))
      await assert.rejects(nested.get(id, 10))
      await assert.rejects(nested.remove(id))
    }
    for (const size of [0, 10, MiB]) await putBytes(nested, randomBytes(size))
    await nested.check()
    assert.deepEqual(
      filesIn(outer).filter((file) => !file.startsWith('a/b/')),
      before,
    )
    await nested.close()
    await driver.check()
  })

  test('check rejects when the folder is gone', async (t) => {
    const { driver, folder } = openFiles(t)
    fs.rmSync(folder, { recursive: true })
    await assert.rejects(driver.check(), { code: 'ENOENT' })
    await assert.rejects(putBytes(driver, randomBytes(1)), { code: 'ENOENT' })
  })

  test('no descriptor stays open', { skip: process.platform !== 'linux' && 'needs /proc' }, async (t) => {
    const { driver } = openFiles(t)
    const id = await putBytes(driver, randomBytes(3 * MiB))
    const openFds = () => fs.readdirSync('/proc/self/fd').length
    const before = openFds()
    for (let i = 0; i < 50; i++) {
      const get = async () => (await driver.get(id, 3 * MiB)) as Readable
      await collect(await get())
      ;(await get()).destroy()
      for await (const _ of await get()) break
      const reading = await get()
      reading.read()
      reading.destroy()
      await collect(await driver.get(id, 3 * MiB, { start: 0, end: 10 }))
      await assert.rejects(driver.get(id, 4 * MiB))
      await assert.rejects(driver.put(id, inChunks(randomBytes(MiB))))
      for await (const _ of driver.list()) break
    }
    for (let i = 0; i < 100 && openFds() > before; i++) await sleep(10)
    assert.equal(openFds(), before)
  })
})

describe('a disk of 4 MiB', () => {
  /** Rejects the test's premise, not the test: only root mounts, and not in every container. */
  function mountSmallDisk(t: TestContext): string | undefined {
    const folder = makeFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' })
    } catch (error) {
      fs.rmdirSync(folder)
      t.skip(`cannot mount a tmpfs here (needs root): ${(error as Error).message.trim()}`)
      return undefined
    }
    t.after(() => {
      execFileSync('umount', ['-l', folder])
      fs.rmdirSync(folder)
    })
    return folder
  }

  test('a full disk rejects the put and keeps nothing of it', async (t) => {
    const folder = mountSmallDisk(t)
    if (!folder) return
    const driver = fileDriver(folder)
    await assert.rejects(putBytes(driver, randomBytes(8 * MiB)), { code: 'ENOSPC' })
    assert.deepEqual(filesIn(folder), [])

    const stored = new Set<string>()
    await assert.rejects(
      async () => {
        for (;;) stored.add(await putBytes(driver, randomBytes(100_000)))
      },
      { code: 'ENOSPC' },
    )
    while (await driver.put(randomUUID(), inChunks(randomBytes(1))).catch(() => 0));
    await assert.rejects(driver.check(), { code: 'ENOSPC' })
    const listed = await list(driver)
    assert.equal(filesIn(folder).length, listed.length)
    for (const { id, size } of listed) {
      assert.equal(size, stored.delete(id) ? 100_000 : 1)
      await driver.remove(id)
    }
    assert.equal(stored.size, 0)
    assert.deepEqual(filesIn(folder), [])
    await driver.check()
    await putBytes(driver, randomBytes(MiB))
    await driver.close()
  })

  test('check rejects on a read-only disk', async (t) => {
    const folder = mountSmallDisk(t)
    if (!folder) return
    const driver = fileDriver(folder)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    await assert.rejects(driver.check(), { code: 'EROFS' })
    await assert.rejects(putBytes(driver, randomBytes(1)), { code: 'EROFS' })
    await driver.close()
  })
})

describe('a failing system call', () => {
  let copies = 0
  type Callback = (error: Error | null, ...results: unknown[]) => void
  /** A driver for which one function of node:fs is another one. */
  async function openWith(t: TestContext, name: keyof typeof fs, replace: (real: unknown) => unknown) {
    const faulty = mock.method(fs, name as 'fsync', replace(fs[name]) as typeof fs.fsync)
    const copy = `../server/blobs/fs.ts?copy=${copies++}`
    const { fileDriver: make } = (await import(copy)) as typeof import('../server/blobs/fs.ts')
    t.after(() => faulty.mock.restore())
    return openFiles(t, make)
  }

  for (const name of ['open', 'writev', 'fdatasync', 'rename', 'fsync'] as const)
    test(`of ${name} rejects the put and keeps nothing of it`, async (t) => {
      let armed = false
      const { driver, folder } = await openWith(t, name, (real) => (...args: unknown[]) => {
        if (!armed) return (real as (...args: unknown[]) => void)(...args)
        return (args.at(-1) as Callback)(failure('EIO'))
      })
      const kept = await putBytes(driver, randomBytes(10))
      armed = true
      for (const size of [0, 10, 2 * MiB]) {
        if (size === 0 && name === 'writev') continue
        await assert.rejects(putBytes(driver, randomBytes(size)), { code: 'EIO' })
      }
      armed = false
      assert.deepEqual(filesIn(folder), [`${kept.slice(-2)}/${kept}`])
      await putBytes(driver, randomBytes(10))
    })

  test('short writes are continued', async (t) => {
    const { driver } = await openWith(t, 'writev', () => (fd: number, chunks: Uint8Array[], done: Callback) => {
      const bytes = Buffer.concat(chunks)
      fs.write(fd, bytes, 0, Math.ceil(bytes.length / 3), null, (error, written) => done(error, written))
    })
    const bytes = randomBytes(MiB)
    const id = await putBytes(driver, bytes)
    assert.ok((await collect(await driver.get(id, MiB))).equals(bytes))
  })

  /** The descriptors that `name` works on; each call takes 20 ms more, and a close meanwhile throws. */
  async function openSlow(t: TestContext, name: 'read' | 'writev') {
    const busy = new Set<number>()
    const { [name]: work, close } = { read: fs.read, writev: fs.writev, close: fs.close }
    const closing = mock.method(fs, 'close', ((fd: number, done: fs.NoParamCallback) => {
      assert.ok(!busy.has(fd), `closed during a ${name}`)
      close(fd, done)
    }) as typeof fs.close)
    t.after(() => closing.mock.restore())
    const files = await openWith(t, name, () => (...args: unknown[]) => {
      const [fd, done] = [args[0] as number, args.at(-1) as Callback]
      busy.add(fd)
      const late: Callback = (...results) =>
        setTimeout(() => {
          busy.delete(fd)
          done(...results)
        }, 20)
      ;(work as (...args: unknown[]) => void)(...args.slice(0, -1), late)
    })
    return { ...files, busy }
  }

  test('a stream destroyed during a read closes its file after it', async (t) => {
    const { driver, busy } = await openSlow(t, 'read')
    const id = await putBytes(driver, randomBytes(MiB))
    const body = (await driver.get(id, MiB)) as Readable
    body.read()
    await sleep(5)
    assert.equal(busy.size, 1)
    body.destroy()
    await new Promise((resolve) => body.on('close', resolve))
    assert.equal(busy.size, 0)
  })

  test('a put whose source fails during a write closes its file after it', async (t) => {
    const { driver, folder, busy } = await openSlow(t, 'writev')
    async function* failing() {
      yield randomBytes(MiB)
      assert.equal(busy.size, 1)
      throw new Error('the client went away')
    }
    await assert.rejects(driver.put(randomUUID(), failing()), /went away/)
    assert.equal(busy.size, 0)
    assert.deepEqual(filesIn(folder), [])
  })
})

describe('openBlobs', () => {
  test('takes absolute and relative folders', async (t) => {
    const folder = makeFolder()
    t.after(() => fs.rmSync(folder, { recursive: true }))
    for (const given of [path.join(folder, 'one'), path.relative(process.cwd(), path.join(folder, 'two', 'three'))]) {
      const driver = await openBlobs(`file:${given}`)
      await putBytes(driver, randomBytes(1))
      assert.equal(filesIn(path.resolve(given)).length, 1)
      await driver.close()
    }
  })

  test('refuses other storages', async () => {
    for (const url of ['ftp://x', 'data/blobs', 'file:', '', 'profile:x', 'FILE:x'])
      await assert.rejects(openBlobs(url), /file:<folder>/)
  })
})

describe('sharedSync', () => {
  test('every caller gets a run that began after its call, one at a time', async () => {
    const call = fc.record({ delay: fc.integer({ min: -2, max: 4 }), again: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 30 }),
        fc.array(fc.record({ lasts: fc.integer({ min: -2, max: 3 }), fails: fc.boolean() }), { minLength: 1 }),
        async (calls, plan) => {
          let clock = 0
          let active = 0
          const runs: { began: number; ended: number; failed: boolean }[] = []
          const sync = sharedSync(async () => {
            const { lasts, fails } = plan[runs.length % plan.length] as (typeof plan)[number]
            const run = { began: ++clock, ended: 0, failed: fails }
            runs.push(run)
            assert.equal(++active, 1)
            await pause(lasts)
            active--
            run.ended = ++clock
            if (fails) throw new Error(String(run.began))
          })
          const once = async () => {
            const called = ++clock
            const failed = await sync().then(
              () => undefined,
              (error: Error) => Number(error.message),
            )
            const returned = ++clock
            // The first run after the call is the caller's, with its outcome.
            const own = runs.find(({ began }) => began > called)
            assert.ok(own && own.ended > 0 && own.ended < returned)
            assert.equal(failed, own.failed ? own.began : undefined)
          }
          await Promise.all(
            calls.map(async ({ delay, again }) => {
              await pause(delay)
              await once()
              if (again) await once()
            }),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('callers share: however many wait, two runs serve them', async () => {
    let runs = 0
    const sync = sharedSync(async () => {
      runs++
      await sleep(20)
    })
    const first = sync()
    await sleep(5)
    await Promise.all([first, ...Array.from({ length: 100 }, () => sync())])
    assert.equal(runs, 2)
  })

  test('a run that throws at once rejects its callers and stops nobody after them', async () => {
    let broken = true
    const sync = sharedSync(() => {
      if (broken) throw new Error('broken')
      return Promise.resolve()
    })
    const outcomes = await Promise.allSettled([sync(), sync()])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    broken = false
    await sync()
  })
})

/** -2 is not at all, -1 a microtask, 0 a turn of the event loop, above that milliseconds. */
async function pause(kind: number): Promise<void> {
  if (kind === -1) await null
  if (kind === 0) await new Promise((resolve) => setImmediate(resolve))
  if (kind > 0) await sleep(kind)
}
