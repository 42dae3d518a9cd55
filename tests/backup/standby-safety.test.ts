// What a standby, and who copies the database for it, do where something is missing, late, killed, or done twice.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { machineUptime } from '../../server/base/uptime.ts'
import { readConfig } from '../../server/config/config.ts'
import { readStandby, readStandbyProgress, standbyLag, writeStandby } from '../../server/db/standby-state.ts'
import { openNamedFiles } from '../../server/drivers/named-files/open.ts'
import { createLog } from '../../server/observe/log.ts'
import { Fenced, giveBackEpoch, newestEpoch, takeEpoch } from '../../server/process/backup/epochs.ts'
import { assertAtAll } from '../../server/process/backup/fence.ts'
import { findFiles } from '../../server/process/backup/find.ts'
import { changesName } from '../../server/process/backup/format.ts'
import { nextEpoch, takeOver } from '../../server/process/backup/take-over.ts'
import { thinOut } from '../../server/process/backup/thin.ts'
import { askToPromote, Requests } from '../../server/process/standby/asked.ts'
import { Hearing } from '../../server/process/standby/hearing.ts'
import { wasPromoted } from '../../server/process/standby/promoted.ts'
import { Standby } from '../../server/process/standby/standby.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { serverEnv } from '../support/server.ts'
import { until } from '../support/until.ts'
import { catchUp, followerOf, openMain, placeWith, rowsOf, secretKeys } from './followed.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-standby-safety-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))
const folderOf = (name: string) => path.join(root, name)
const DAY_MS = 24 * 3600_000

describe('the order of histories', () => {
  it('is that of their numbers, though the clock was set back', { timeout: 120_000 }, async () => {
    const folder = folderOf('order')
    const first = await openMain(folder)
    first.change()
    await first.based()
    await first.close()
    // A new history, by a clock that is two days behind.
    fs.rmSync(`${first.file}-backup`)
    const second = await openMain(folder)
    second.setClock(-2 * DAY_MS)
    second.change()
    await second.based()
    second.change()
    await second.ship()
    const names = (await findFiles(second.place)).map(({ name }) => name)
    assert.equal(names.length, 2)
    assert.equal(JSON.parse(fs.readFileSync(`${second.file}-backup`, 'utf8')).chain, names[1])
    const { follower, files } = followerOf(folderOf('order-2'), { from: second.url, place: second.place })
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(second.file))
    // What is thinned out is never what is being written, whatever the moments say.
    await thinOut(second.place, secretKeys, new Date(Date.now() + 3 * DAY_MS))
    second.change()
    await second.ship()
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(second.file))
    const { follower: later, files: others } = followerOf(folderOf('order-3'), {
      from: second.url,
      place: second.place,
    })
    await catchUp(later)
    assert.deepEqual(rowsOf(others.database), rowsOf(second.file))
    for (const one of [follower, later]) one.close()
    await second.close()
  })
})

describe('a file of changes that was stored', () => {
  it('is not stored a second time with something else in it by who did not hear of it', {
    timeout: 120_000,
  }, async () => {
    const folder = folderOf('unheard')
    let fails = false
    let state: Buffer | undefined
    const main = await openMain(folder, {
      place: (own) =>
        placeWith(own, {
          async put(name, bytes) {
            await own.put(name, bytes)
            if (!fails || !name.includes('/changes/')) return
            fails = false
            // As a process leaves it that is killed now.
            state = fs.readFileSync(`${main.file}-backup`)
            throw new Error('The answer was lost')
          },
        }),
    })
    main.change()
    await main.based()
    const { follower, files } = followerOf(folderOf('unheard-2'), { from: main.url, place: main.place })
    await catchUp(follower)
    fails = true
    main.change()
    await assert.rejects(main.ship(), /The answer was lost/)
    await catchUp(follower)
    main.change()
    await main.ship()
    main.change()
    await main.ship()
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(main.file))

    fails = true
    main.change()
    await assert.rejects(main.ship(), /The answer was lost/)
    await catchUp(follower)
    const { chain } = JSON.parse((state as Buffer).toString()) as { chain: string }
    // Its files as they are now, for a process that is started after it was killed.
    fs.mkdirSync(`${folder}-killed`)
    for (const ending of ['', '-wal'])
      fs.copyFileSync(main.file + ending, path.join(`${folder}-killed`, `main.db${ending}`))
    fs.writeFileSync(path.join(`${folder}-killed`, 'main.db-backup'), state as Buffer)
    await main.close()
    const again = await openMain(`${folder}-killed`, { backup: folder })
    again.change()
    await again.ship()
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(again.file))
    assert.equal(JSON.parse(fs.readFileSync(`${again.file}-backup`, 'utf8')).chain, chain)
    follower.close()
    await again.close()
  })
})

describe('who follows', () => {
  it('stops and says so where a file is missing, and continues once it is there', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('gap'))
    main.change()
    await main.based()
    const { follower, files } = followerOf(folderOf('gap-2'), { from: main.url, place: main.place })
    await catchUp(follower)
    const { chain, number } = readStandby(path.join(folderOf('gap-2'), 'standby.db')) ?? assert.fail()
    for (let i = 0; i < 3; i++) {
      main.change()
      await main.ship()
    }
    const missing = changesName(chain, number + 1)
    const kept = (await main.place.get(missing)) ?? assert.fail()
    await main.place.remove(missing)
    main.setClock(60_000)
    await main.ship()
    await until(async () => {
      const error = await follower.step().catch((error: Error) => error)
      await pause(200)
      return error instanceof Error && /is missing, although there were changes up to number \d+/.test(error.message)
    })
    // It stays so, and nothing beyond it was applied.
    await assert.rejects(follower.step(), /is missing/)
    assert.equal(follower.number, number)
    await main.place.put(missing, kept)
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(main.file))
    follower.close()
    await main.close()
  })

  it('fetches a copy that cannot be used once, and another one at once', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('useless'))
    main.change(200_000)
    await main.based()
    let pieces = 0
    const counting = placeWith(main.place, {
      get(name) {
        if (/\/bases\/\d+\/\d+$/.test(name)) pieces++
        return main.place.get(name)
      },
    })
    const [chain] = await findFiles(main.place)
    const base = chain?.bases.find(({ isLast }) => !isLast) ?? assert.fail()
    const bytes = (await main.place.get(base.name)) ?? assert.fail()
    await main.place.put(base.name, bytes.subarray(0, -1))
    const { follower, files, said } = followerOf(folderOf('useless-2'), { from: main.url, place: counting })
    for (let i = 0; i < 20; i++) await assert.rejects(follower.step(), /is damaged: chains\/.* is not what it was/)
    assert.equal(pieces, 1)
    assert.match(said.at(-1) ?? '', /fetched again after 10 s, another one at once/)
    await main.close()
    fs.rmSync(`${main.file}-backup`)
    const again = await openMain(folderOf('useless'))
    await again.based()
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(main.file))
    follower.close()
    await again.close()
  })

  it('can be stopped while a copy is fetched, and does not fetch one for a promotion', {
    timeout: 120_000,
  }, async () => {
    const main = await openMain(folderOf('stop'))
    main.change()
    await main.based()
    const hanging = placeWith(main.place, {
      get: (name) => (/\/bases\/\d+\/\d+$/.test(name) ? new Promise(() => undefined) : main.place.get(name)),
    })
    const { follower } = followerOf(folderOf('stop-2'), { from: main.url, place: hanging })
    await assert.rejects(follower.step({ copies: false }), /A new copy of the database has to be fetched first/)
    const step = follower.step()
    await until(() => follower.copying !== undefined)
    await pause(200)
    follower.stop()
    await assert.rejects(step, /The standby was stopped/)

    // The same of a process, which somebody asks meanwhile.
    const env = serverEnv(folderOf('stop-3'))
    fs.mkdirSync(folderOf('stop-3'))
    const config = readConfig({ ...env, SECRET_KEY: secretKeys[0], BACKUP_URL: main.url })
    const database = path.join(folderOf('stop-3'), 'strongroom.db')
    const log = createLog('silent', undefined)
    const standby = new Standby(config, { database, from: main.url, place: hanging, log, serve: false })
    const running = standby.run()
    await until(() => readStandbyProgress(database)?.state === 'copying')
    await assert.rejects(
      askToPromote(database, { from: null, supersede: false }, () => true),
      /A copy of the database is being fetched \(0 %\)\. Ask again once the standby is following\./,
    )
    standby.stop()
    assert.equal(await running, 'The standby has stopped.')
    await main.close()
  })

  it('compares where it follows from with where it has followed', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('from'))
    main.change()
    await main.based()
    const folder = folderOf('from-2')
    const first = followerOf(folder, { from: main.url, place: main.place })
    await catchUp(first.follower)
    first.follower.close()
    // The same files under another name.
    const moved = { url: `file:${folderOf('from-moved')}`, folder: folderOf('from-moved') }
    fs.cpSync(path.join(folderOf('from'), 'backup'), moved.folder, { recursive: true })
    const second = followerOf(folder, { from: moved.url, place: await openNamedFiles(moved.url, null) })
    await second.follower.open()
    assert.deepEqual([second.said, second.follower.moment !== null], [[], true])
    assert.equal(readStandby(second.database)?.from, moved.url)
    second.follower.close()
    // A place that cannot be asked.
    const isAway = () => Promise.reject(new Error('It is away'))
    const away = placeWith(main.place, { get: isAway, list: isAway })
    const third = followerOf(folder, { from: 'file:/elsewhere', place: away })
    await assert.rejects(third.follower.open(), /has the same history cannot be seen: It is away/)
    // Another history of another database.
    const other = await openMain(folderOf('from-other'))
    other.change()
    await other.based()
    const fourth = followerOf(folder, { from: other.url, place: other.place })
    await fourth.follower.open()
    assert.match(fourth.said.join(), /has another history, of which a new copy is fetched/)
    await assert.rejects(catchUp(fourth.follower), /There is another database at the backup place/)
    assert.deepEqual(rowsOf(fourth.files.database), rowsOf(main.file))
    for (const one of [main, other]) await one.close()
  })

  it('knows of the main service by its own clock alone', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('hearing'))
    // A day ahead of this machine, then an hour back.
    main.setClock(DAY_MS)
    main.change()
    await main.based()
    const { follower } = followerOf(folderOf('hearing-2'), { from: main.url, place: main.place })
    await catchUp(follower)
    // What is there when it looks first may be old.
    assert.equal(standbyLag(follower.hearing), null)
    assert.equal(follower.hearing.isSilentFor(0), true)
    main.setClock(DAY_MS - 3600_000)
    main.change()
    await main.ship()
    await catchUp(follower)
    const lag = standbyLag(follower.hearing) ?? Number.NaN
    assert.ok(lag >= 0 && lag < 30, `${lag}`)
    assert.equal(follower.hearing.isSilentFor(30_000), false)
    follower.close()
    await main.close()
    const hearing = new Hearing()
    const now = machineUptime()
    hearing.caughtUp(now - 60_000)
    hearing.heard(now - 40_000)
    assert.equal(hearing.fresh, null)
    hearing.caughtUp(now - 39_000)
    assert.deepEqual([hearing.fresh, hearing.isSilentFor(30_000)], [now - 40_000, true])
    hearing.lost()
    assert.equal(hearing.isSilentFor(30_000), false)
    hearing.heard(now)
    hearing.caughtUp(now)
    assert.equal(hearing.fresh, now - 40_000)
  })
})

describe('taking over', () => {
  const placesIn = async (name: string) => [
    await openNamedFiles(`file:${folderOf(`${name}-a`)}`, null),
    await openNamedFiles(`file:${folderOf(`${name}-b`)}`, null),
  ]
  const old = { instance: 'i', number: 0, holder: 'i' }
  const report = () => undefined

  for (const where of ['folders', 'an S3 engine'])
    it(`is done by exactly one of several at once, in ${where}`, { timeout: 120_000 }, async (t) => {
      const gateway = where === 'folders' ? undefined : await cephGateway()
      if (where !== 'folders' && !gateway) return t.skip(noGateway)
      const places = gateway
        ? [await openNamedFiles(newBucket(gateway), gateway.credentials)]
        : await placesIn('several')
      for (let round = 0; round < (gateway ? 3 : 20); round++) {
        const own = await nextEpoch(places, secretKeys, old)
        const holders = Array.from({ length: 5 }, () => randomUUID())
        const finished: string[] = []
        const results = await Promise.allSettled(
          holders.map((holder) =>
            takeOver({ places, secretKeys, own: { ...own, holder }, report }, async (assertOwn) => {
              await assertOwn()
              await pause(Math.random() * 20)
              await assertOwn()
              finished.push(holder)
            }),
          ),
        )
        assert.equal(finished.length, 1, `round ${round}`)
        for (const result of results)
          if (result.status === 'rejected') assert.match(result.reason.message, /another one takes over just now/)
        for (const place of places)
          assert.equal((await newestEpoch(place, secretKeys))?.header.holder, finished[0], `round ${round}`)
      }
    })

  it('that fails leaves the former one to write', async () => {
    const places = await placesIn('failed')
    const own = await nextEpoch(places, secretKeys, old)
    const failing = takeOver({ places, secretKeys, own, report }, async () => {
      await assert.rejects(assertAtAll(places, secretKeys, old), Fenced)
      throw new Error('The disk is full')
    })
    await assert.rejects(failing, /does not take over: The disk is full\. The former service may write again/)
    await assertAtAll(places, secretKeys, old)
    for (const place of places) assert.deepEqual(await place.list('epochs/'), [])
  })

  it('that fails at the last step leaves a standby that follows', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('last'))
    main.change()
    await main.based()
    const { follower, database, files } = followerOf(folderOf('last-2'), { from: main.url, place: main.place })
    await catchUp(follower)
    const before = follower.own()
    fs.writeFileSync(`${database}-wal`, '')
    assert.throws(() => follower.assertReady(), /-wal exists/)
    assert.throws(() => follower.finish({ number: 7, holder: 'h' }), /-wal exists/)
    fs.rmSync(`${database}-wal`)
    // The name can be given, and the folder cannot be synced any more, as on a disk that fails.
    const { fsyncSync } = fs
    const { mock } = await import('node:test')
    const failing = mock.method(fs, 'fsyncSync', () => {
      throw new Error('EIO')
    })
    assert.throws(() => follower.finish({ number: 7, holder: 'h' }), /EIO/)
    failing.mock.restore()
    assert.equal(fs.fsyncSync, fsyncSync)
    assert.equal(fs.existsSync(database), false)
    assert.deepEqual(follower.own(), before)
    main.change()
    await main.ship()
    await catchUp(follower)
    assert.deepEqual(rowsOf(files.database), rowsOf(main.file))
    follower.finish({ number: 7, holder: 'h' })
    assert.deepEqual(rowsOf(database), rowsOf(main.file))
    assert.equal(wasPromoted(database), true)
    await main.close()
  })

  it('is finished by the next process where one was killed in the middle', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('middle'))
    main.change()
    await main.based()
    const { follower, database, files } = followerOf(folderOf('middle-2'), { from: main.url, place: main.place })
    await catchUp(follower)
    const epoch = { number: 1, holder: randomUUID() }
    follower.notePromotion(epoch)
    const state = readStandby(database) ?? assert.fail()
    assert.deepEqual(state.promoting, epoch)
    follower.finish(epoch)
    // Killed after it had its name, and before anything else.
    fs.linkSync(database, files.database)
    fs.writeFileSync(files.progress, JSON.stringify({ ...readStandbyProgress(database), state: 'promoting' }))
    writeStandby(database, state)
    assert.equal(wasPromoted(database), true)
    assert.deepEqual([fs.existsSync(files.database), fs.existsSync(files.state)], [false, false])
    assert.equal(wasPromoted(database), true)
    // Another database in its place is not taken for it.
    writeStandby(database, { ...state, promoting: { number: 1, holder: 'other' } })
    assert.equal(wasPromoted(database), false)
    await main.close()
  })
})

describe('a promotion in the middle of which the process was killed', () => {
  it('is finished by the next one if it had taken the epoch, and not otherwise', { timeout: 120_000 }, async () => {
    const main = await openMain(folderOf('killed'))
    main.change()
    await main.based()
    const folder = folderOf('killed-2')
    const database = path.join(folder, 'strongroom.db')
    const config = readConfig({ ...serverEnv(folder), SECRET_KEY: secretKeys[0], BACKUP_URL: main.url })
    const given = { database, from: main.url, place: main.place, log: createLog('silent', undefined), serve: false }
    const follow = async (isSo: () => boolean) => {
      const standby = new Standby(config, given)
      const running = standby.run()
      await until(isSo)
      standby.stop()
      assert.equal(await running, 'The standby has stopped.')
    }
    fs.mkdirSync(folder)
    await follow(() => readStandbyProgress(database)?.state === 'following')
    const kill = (promoting: { number: number; holder: string }) =>
      writeStandby(database, { ...(readStandby(database) ?? assert.fail()), promoting })
    const epoch = { number: 1, holder: randomUUID() }
    const own = { ...epoch, instance: readStandby(database)?.instance ?? '' }
    // Before it took the epoch.
    kill(epoch)
    await follow(() => readStandby(database)?.promoting === undefined)
    assert.equal(fs.existsSync(database), false)
    // After that, and after another has taken the next.
    await takeEpoch(main.place, secretKeys, own, new Date())
    const other = { ...own, number: 2, holder: randomUUID() }
    await takeEpoch(main.place, secretKeys, other, new Date())
    kill(epoch)
    await follow(() => readStandby(database)?.promoting === undefined)
    assert.equal(fs.existsSync(database), false)
    await giveBackEpoch(main.place, secretKeys, other)
    kill(epoch)
    assert.match(await new Standby(config, given).run(), /the one that may write now \(epoch 1\)/)
    assert.deepEqual(rowsOf(database), rowsOf(main.file))
    await main.close()
  })
})

describe('a request to promote', () => {
  it('counts while somebody waits for the answer', { timeout: 60_000 }, async () => {
    const database = path.join(root, 'asked.db')
    const requests = new Requests(database)
    const given = { from: null, supersede: false }
    let waits = true
    const asking = askToPromote(database, given, () => waits)
    await until(() => requests.look() !== undefined)
    const request = requests.look() ?? assert.fail()
    assert.equal(await request.isWanted(), true)
    await assert.rejects(
      askToPromote(database, given, () => true),
      /Another command asks for the same/,
    )
    request.answer({ text: 'done' })
    assert.equal(await asking, 'done')
    assert.equal(requests.look(), undefined)

    // One that was killed leaves its request behind.
    const file = `${database}-standby-promote`
    fs.writeFileSync(file, JSON.stringify({ id: 'x', given, beat: 1 }))
    assert.equal(requests.look(), undefined)
    await pause(100)
    assert.equal(requests.look(), undefined)
    fs.writeFileSync(file, JSON.stringify({ id: 'x', given, beat: 2 }))
    const last = requests.look() ?? assert.fail()
    assert.equal(await last.isWanted(), false)
    await until(() => requests.look() === undefined)
    // The next command replaces it.
    const other = askToPromote(database, given, () => waits)
    await until(() => requests.look() !== undefined)
    waits = false
    assert.equal(await other, undefined)
  })
})
