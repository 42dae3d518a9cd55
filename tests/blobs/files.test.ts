import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { describe, mock, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlobDriver, BlobMissing, type RecyclingStream } from '../../server/drivers/driver.ts'
import { fileDriver } from '../../server/drivers/fs/driver.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { collect, inChunks, list, putBytes } from './conformance-bytes.ts'
import { Upload } from './conformance-upload.ts'
import { failure, filesIn, MiB, makeFolder } from './drivers.ts'

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

const fileOf = (folder: string, id: string) => path.join(folder, id.slice(-2), id)

/** The name of a part that completeParts has taken up. */
const takenUp = (ref: string) => ref.replace(/^(\d+)-1-/, '$1-0-')

describe('files', () => {
  test('a folder that cannot be there is refused, and not tried for ever', {
    skip: process.platform !== 'linux',
  }, () => {
    // In /proc, Node's own mkdir of all folders of a path never returns.
    assert.throws(() => fileDriver('/proc/strongroom/blobs'), { code: 'ENOENT' })
  })

  test('a blob is one private file named by its id', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = await putBytes(driver, randomBytes(10))
    assert.deepEqual(filesIn(folder), [`${id.slice(-2)}/${id}`])
    assert.equal(fs.statSync(fileOf(folder, id)).mode & 0o777, 0o600)
    assert.equal(fs.statSync(folder).mode & 0o077, 0)
  })

  test('nothing counts as removed while the disk is away', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = await putBytes(driver, randomBytes(10))
    fs.renameSync(folder, `${folder}-away`)
    await assert.rejects(driver.remove(id), { outage: true })
    fs.renameSync(`${folder}-away`, folder)
    assert.deepEqual(filesIn(folder), [`${id.slice(-2)}/${id}`])
    await driver.remove(id)
    await driver.remove(id)
    assert.deepEqual(filesIn(folder), [])
  })

  test('a stream reads into the memory of recycled chunks, once each and only its own', async (t) => {
    const { driver } = openFiles(t)
    const [one, two] = [randomBytes(MiB), randomBytes(MiB)]
    const [first, second] = [await putBytes(driver, one), await putBytes(driver, two)]
    const open = async (id: string) => {
      const stream = (await driver.get(id, MiB)) as RecyclingStream
      t.after(() => stream.destroy())
      return stream
    }
    const chunkOf = async (stream: Readable): Promise<Buffer> =>
      (await stream.iterator({ destroyOnReturn: false }).next()).value
    const [a, b] = [await open(first), await open(second)]
    const chunk = await chunkOf(a)
    assert.ok(chunk.equals(one.subarray(0, chunk.length)))
    b.recycle(chunk)
    a.recycle(Buffer.from(chunk))
    const kept = await chunkOf(b)
    assert.notEqual(kept.buffer, chunk.buffer, 'nobody else can recycle it')
    a.recycle(chunk)
    a.recycle(chunk)
    const [c, d] = [await chunkOf(await open(second)), await chunkOf(await open(second))]
    assert.equal([c, d].filter(({ buffer }) => buffer === chunk.buffer).length, 1)
    for (const read of [kept, c, d]) assert.ok(read.equals(two.subarray(0, read.length)))
  })

  test('a killed put leaves nothing readable, and remove takes away the rest', async (t) => {
    const { driver, folder } = openFiles(t)
    const id = randomUUID()
    const script = `
      import { fileDriver } from ${JSON.stringify(path.resolve('server/drivers/fs/driver.ts'))}
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

  test('a blob in parts is its parts and a manifest, all private', async (t) => {
    const { driver, folder } = openFiles(t)
    const upload = await Upload.begin(driver)
    const shard = path.join(folder, upload.id.slice(-2))
    const own = path.join(shard, `${upload.id}.d`)
    for (const number of [1, 2, 2, 3]) await upload.put(number, randomBytes(100))
    // What crashes leave: a part that nobody wrote down, and one that never came to its name.
    fs.writeFileSync(path.join(own, '3-1-0000abcd'), randomBytes(7))
    fs.writeFileSync(path.join(own, '3-1234abcd.tmp'), randomBytes(8))
    fs.writeFileSync(path.join(own, 'manifest.tmp'), 'half a')
    assert.deepEqual(
      (await upload.list()).map(({ number }) => number),
      [1, 2, 2, 3, 3],
    )
    await upload.complete()
    await upload.assertDone()
    const names = ['manifest', ...upload.parts.map(({ ref }) => takenUp(ref))]
    assert.deepEqual(fs.readdirSync(own).sort(), names.sort())
    for (const name of names) assert.equal(fs.statSync(path.join(own, name)).mode & 0o777, 0o600)
    assert.equal(fs.statSync(own).mode & 0o777, 0o700)

    // As after a crash before the others were removed.
    fs.writeFileSync(path.join(own, '3-1-0000abcd'), randomBytes(7))
    await upload.assertDone()
    await upload.complete()
    assert.deepEqual(fs.readdirSync(own).sort(), names.sort())
    await driver.remove(upload.id)
    assert.deepEqual(filesIn(folder), [])
    assert.ok(!fs.existsSync(own))
  })

  test('a part that is truncated or gone, or a damaged manifest, is an error before the first byte', async (t) => {
    const { driver, folder } = openFiles(t)
    for (const size of [100, MiB]) {
      const upload = await Upload.begin(driver)
      for (const number of [1, 2, 3]) await upload.put(number, randomBytes(size))
      await upload.complete()
      const { id, bytes } = upload
      const own = path.join(folder, id.slice(-2), `${id}.d`)
      const second = path.join(own, takenUp(upload.parts[1]?.ref as string))
      const refuse = async (listed: number) => {
        await assert.rejects(driver.get(id, 3 * size), BlobMissing)
        const around = { start: size - 1, end: 2 * size }
        await assert.rejects(driver.get(id, 3 * size, around), BlobMissing)
        assert.equal((await list(driver)).find((blob) => blob.id === id)?.size, listed)
      }
      fs.truncateSync(second, size - 1)
      await refuse(3 * size - 1)
      const left = await driver.get(id, 3 * size, { start: 5, end: 2 * size - 2 })
      assert.ok((await collect(left)).equals(bytes.subarray(5, 2 * size - 1)))
      fs.unlinkSync(second)
      await refuse(2 * size)
      const manifest = path.join(own, 'manifest')
      fs.writeFileSync(manifest, fs.readFileSync(manifest, 'utf8').slice(0, -20))
      await refuse(0)
    }
  })

  test('a part truncated or removed while the blob is read is an error of the stream', async (t) => {
    const { driver, folder } = openFiles(t)
    for (const spoil of [(file: string) => fs.truncateSync(file, MiB), fs.unlinkSync]) {
      const upload = await Upload.begin(driver)
      for (const number of [1, 2, 3]) await upload.put(number, randomBytes(2 * MiB))
      await upload.complete()
      const { id, parts, bytes } = upload
      const body = (await driver.get(id, 6 * MiB)) as Readable
      const third = path.join(folder, id.slice(-2), `${id}.d`, takenUp(parts[2]?.ref as string))
      let got = 0
      await assert.rejects(async () => {
        for await (const chunk of body) {
          if (got === 0) spoil(third)
          assert.ok(bytes.subarray(got, got + chunk.length).equals(chunk))
          got += chunk.length
        }
      }, BlobMissing)
      assert.ok(got >= 4 * MiB)
    }
  })

  test('killed at any time, an upload in parts can be completed or removed', async (t) => {
    const { driver, folder } = openFiles(t)
    const script = `
      import { randomUUID } from 'node:crypto'
      import { fileDriver } from ${JSON.stringify(path.resolve('server/drivers/fs/driver.ts'))}
      const driver = fileDriver(${JSON.stringify(folder)})
      async function* of(byte) {
        console.log('sends')
        yield Buffer.alloc(100000, byte)
      }
      for (;;) {
        const id = randomUUID()
        console.log(id)
        const handle = await driver.beginParts(id)
        console.log('begun')
        const put = async (number, byte) => ({ number, size: 100000, ref: await driver.putPart(id, handle, { number, size: 100000 }, of(byte)) })
        for (const former of await Promise.all([put(1, 9), put(2, 9)])) await driver.removePart(id, handle, former)
        await driver.completeParts(id, handle, [await put(1, 1), await put(2, 2), await put(3, 3)])
      }`
    let done = 0
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      for await (const chunk of child.stdout) {
        said += chunk
        // An upload says seven lines: each round is killed further into one.
        if (said.split('\n').length > 9 + round * 8) child.kill('SIGKILL')
      }
      const ids = said.split('\n').filter((line) => /^[0-9a-f-]{36}$/.test(line))
      const listed = new Map((await list(driver)).map(({ id, size }) => [id, size]))
      for (const [i, id] of ids.entries()) {
        // All but the last were answered.
        if (i < ids.length - 1) assert.equal(listed.get(id), 300_000)
        if (!listed.has(id)) {
          const parts = await driver.listParts(id, 'files')
          for (const { size } of parts) assert.equal(size, 100_000)
          if (parts.length === 3) await driver.completeParts(id, 'files', parts)
          else await driver.abortParts(id, 'files')
        }
        if (!listed.has(id) && (await driver.get(id, 1).catch(() => undefined)) === undefined) continue
        const bytes = await collect(await driver.get(id, 300_000))
        for (const number of [1, 2, 3])
          assert.ok(bytes.subarray((number - 1) * 100_000, number * 100_000).every((byte) => byte === number))
        done++
        await driver.remove(id)
      }
    }
    assert.ok(done > 0)
    assert.deepEqual(filesIn(folder), [])
  })

  test('two processes on one folder: a blob is one sender’s, complete, whoever removes parts meanwhile', async (t) => {
    const { driver, folder } = openFiles(t)
    const other = fileDriver(folder)
    t.after(() => other.close())
    let made = 0
    for (let round = 0; round < 100; round++) {
      const upload = await Upload.begin(driver)
      const { id, handle } = upload
      const rest = await upload.put(2, randomBytes(50))
      const bodies = Array.from({ length: 4 }, () => randomBytes(100))
      const parts = await Promise.all(bodies.map((bytes) => upload.put(1, bytes)))
      const outcomes = await Promise.allSettled(
        parts.map(async (part, i) => {
          const [one, another] = i % 2 ? [driver, other] : [other, driver]
          const removed = round % 2 ? another.removePart(id, handle, part) : undefined
          await one.completeParts(id, handle, [part, rest])
          await removed
        }),
      )
      const done = bodies.filter((_, i) => outcomes[i]?.status === 'fulfilled')
      for (const one of outcomes)
        if (one.status === 'rejected') assert.ok(one.reason instanceof BlobMissing, `${one.reason}`)
      if (round % 2 === 0) assert.equal(done.length, 1)
      assert.ok(done.length <= 1)
      if (!done[0]) continue
      made++
      const stored = await collect(await other.get(id, 150))
      assert.ok(stored.subarray(0, 100).equals(done[0]))
    }
    assert.ok(made >= 50)
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
    for (let i = 0; i < 30; i++) {
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

      const upload = await Upload.begin(driver)
      for (const number of [1, 2, 3, 4]) await upload.put(number, randomBytes(MiB))
      await assert.rejects(driver.putPart(upload.id, upload.handle, { number: 1, size: 10 }, inChunks(randomBytes(9))))
      await upload.complete()
      const getParts = async () => (await driver.get(upload.id, 4 * MiB)) as Readable
      await collect(await getParts())
      ;(await getParts()).destroy()
      for await (const _ of await getParts()) break
      const readingParts = await getParts()
      readingParts.read()
      readingParts.destroy()
      await collect(await driver.get(upload.id, 4 * MiB, { start: MiB - 5, end: MiB + 5 }))
      await driver.remove(upload.id)
    }
    for (let i = 0; i < 100 && openFds() > before; i++) await sleep(10)
    assert.equal(openFds(), before)
  })
})

describe('a disk of 4 MiB', () => {
  test('a full disk rejects the put and keeps nothing of it', async (t) => {
    const folder = mountSmallDisk(t, 4)
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
    const folder = mountSmallDisk(t, 4)
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
    const copy = `../../server/drivers/fs/driver.ts?copy=${copies++}`
    const { fileDriver: make } = (await import(copy)) as typeof import('../../server/drivers/fs/driver.ts')
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

  for (const name of ['open', 'writev', 'fdatasync', 'rename', 'fsync'] as const)
    test(`of ${name} rejects a part and leaves the earlier one`, async (t) => {
      let armed = false
      const { driver, folder } = await openWith(t, name, (real) => (...args: unknown[]) => {
        if (!armed) return (real as (...args: unknown[]) => void)(...args)
        return (args.at(-1) as Callback)(failure('EIO'))
      })
      const upload = await Upload.begin(driver)
      await upload.put(1, randomBytes(10))
      await upload.put(2, randomBytes(10))
      const before = filesIn(folder)
      armed = true
      for (const size of [10, 2 * MiB])
        await assert.rejects(
          driver.putPart(upload.id, upload.handle, { number: 1, size }, inChunks(randomBytes(size))),
          {
            code: 'EIO',
          },
        )
      assert.deepEqual(filesIn(folder), before)
      await assert.rejects(upload.complete(), { code: 'EIO' })
      armed = false
      // Completing may have taken parts up, each under its other name.
      const named = (files: readonly string[]) => files.map((file) => file.replace(/\/(\d+)-[01]-/, '/$1-'))
      assert.deepEqual(named(filesIn(folder)), named(before))
      await assert.rejects(driver.get(upload.id, 20), BlobMissing)
      assert.deepEqual(await upload.list(), upload.parts)
      await upload.complete()
      await upload.assertDone()
    })

  test('of unlink rejects completeParts, which succeeds the next time', async (t) => {
    let armed = false
    const { driver, folder } = await openWith(t, 'unlink', (real) => (...args: unknown[]) => {
      if (!armed) return (real as (...args: unknown[]) => void)(...args)
      return (args.at(-1) as Callback)(failure('EIO'))
    })
    const upload = await Upload.begin(driver)
    for (const number of [1, 2, 3]) await upload.put(number, randomBytes(10))
    upload.sent.delete(2)
    armed = true
    await assert.rejects(upload.complete(), { code: 'EIO' })
    armed = false
    await upload.complete()
    await upload.assertDone()
    assert.equal(filesIn(folder).length, 3)
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
    const begun = Promise.withResolvers<void>()
    const { [name]: work, close } = { read: fs.read, writev: fs.writev, close: fs.close }
    const closing = mock.method(fs, 'close', ((fd: number, done: fs.NoParamCallback) => {
      assert.ok(!busy.has(fd), `closed during a ${name}`)
      close(fd, done)
    }) as typeof fs.close)
    t.after(() => closing.mock.restore())
    const files = await openWith(t, name, () => (...args: unknown[]) => {
      const [fd, done] = [args[0] as number, args.at(-1) as Callback]
      busy.add(fd)
      begun.resolve()
      const late: Callback = (...results) =>
        setTimeout(() => {
          busy.delete(fd)
          done(...results)
        }, 20)
      ;(work as (...args: unknown[]) => void)(...args.slice(0, -1), late)
    })
    return { ...files, busy, begun: begun.promise }
  }

  test('a stream destroyed during a read closes its file after it', async (t) => {
    const { driver, busy, begun } = await openSlow(t, 'read')
    const id = await putBytes(driver, randomBytes(MiB))
    const body = (await driver.get(id, MiB)) as Readable
    body.read()
    await begun
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
