// What is read from the log has to give the same database, however it is written, copied and started again meanwhile.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, it } from 'node:test'
import { LogFollower } from '../../server/db/sqlite/follow.ts'
import { random as randomOf } from '../faults/random.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-follow-'))
after(() => fs.rmSync(folder, { recursive: true, force: true }))

describe('following the log of a database', () => {
  let file: string
  let copy: string
  let n = 0
  beforeEach(() => {
    file = path.join(folder, `${n++}.db`)
    copy = `${file}-copy`
    const made = open(file)
    made.exec('create table t (id integer primary key, bytes blob); create index by_bytes on t (bytes)')
    made.exec('pragma wal_checkpoint(truncate)')
    fs.copyFileSync(file, copy)
    made.close()
  })
  function open(name: string): DatabaseSync {
    const database = new DatabaseSync(name, { timeout: 2000 })
    database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma wal_autocheckpoint = 0')
    return database
  }
  function apply(follower: LogFollower, most = 64 * 1024): void {
    const handle = fs.openSync(copy, 'r+')
    const all = [...follower.read(most)]
    for (const { pages, pageSize, size } of all.concat(follower.tidy(most))) {
      for (const [page, bytes] of pages) fs.writeSync(handle, bytes, 0, pageSize, (page - 1) * pageSize)
      fs.ftruncateSync(handle, size * pageSize)
    }
    fs.closeSync(handle)
  }
  function contents(name: string): unknown[] {
    const database = new DatabaseSync(name, { readOnly: true })
    const [check, ...rows] = [
      database.prepare('pragma integrity_check').get()?.integrity_check,
      ...database.prepare('select id, hex(bytes) as bytes from t order by id').all(),
    ]
    database.close()
    return [check, ...rows]
  }
  /** As it would be read by itself: its log does not count. */
  function contentsOfCopy(): unknown[] {
    const database = new DatabaseSync(new URL(`file://${copy}?immutable=1`), { readOnly: true })
    const found = [
      database.prepare('pragma integrity_check').get()?.integrity_check,
      ...database.prepare('select id, hex(bytes) as bytes from t order by id').all(),
    ]
    database.close()
    return found
  }

  it('gives the same database while several connections write, roll back, copy the log and let it start again', () => {
    let logs = 0
    for (let seed = 1; seed <= 12; seed++) {
      const { int } = randomOf(seed)
      const random = (below: number) => int(0, below)
      const writers = [open(file), open(file)]
      const follower = new LogFollower(file)
      fs.copyFileSync(file, copy)
      follower.begin(undefined, true)
      const salts = new Set<string>()
      for (let step = 0; step < 120; step++) {
        const writer = writers[random(2)] as DatabaseSync
        const what = random(10)
        if (what < 5) {
          writer.exec('begin immediate')
          for (let i = random(20); i >= 0; i--)
            writer
              .prepare('insert or replace into t values (?, ?)')
              .run(random(300), Buffer.alloc(random(9000), random(256)))
          writer.exec(random(4) === 0 ? 'rollback' : 'commit')
        } else if (what < 6) writer.exec(`delete from t where id % 7 = ${random(7)}`)
        else if (what < 8) {
          const kinds = ['passive', 'full', 'restart', 'truncate']
          writer.exec('pragma busy_timeout = 0')
          try {
            writer.exec(`pragma wal_checkpoint(${kinds[random(4)]})`)
          } catch {
            // A reader is in the way: the follower.
          }
          writer.exec('pragma busy_timeout = 2000')
        } else {
          apply(follower)
          salts.add(follower.position.salts)
          assert.deepEqual(contentsOfCopy(), contents(file), `seed ${seed}, step ${step}`)
        }
      }
      apply(follower)
      assert.deepEqual(contentsOfCopy(), contents(file), `seed ${seed}`)
      logs += salts.size
      for (const one of writers) one.close()
      follower.close()
    }
    assert.ok(logs > 12, 'a log has started again')
  })

  it('continues where another one has ended, and says when it cannot', () => {
    const writer = open(file)
    const first = new LogFollower(file)
    first.begin(undefined, true)
    writer.exec("insert into t values (1, 'one')")
    apply(first)
    const { position } = first
    first.close()
    writer.exec("insert into t values (2, 'two')")
    const second = new LogFollower(file)
    assert.equal(second.begin(position, false), true)
    apply(second)
    assert.deepEqual(contentsOfCopy(), contents(file))
    const end = second.position
    second.close()
    writer.exec("insert into t values (3, 'three')")
    writer.exec('pragma wal_checkpoint(truncate)')
    writer.exec("insert into t values (4, 'four')")
    const third = new LogFollower(file)
    assert.equal(third.begin(end, false), false)
    third.close()
    writer.close()
  })

  it('keeps the log short while somebody writes without a pause', () => {
    const writer = open(file)
    const follower = new LogFollower(file)
    follower.begin(undefined, true)
    const salts = new Set<string>()
    const insert = writer.prepare('insert or replace into t values (?, ?)')
    for (let round = 0; round < 150; round++) {
      for (let i = 0; i < 20; i++) insert.run((round * 20 + i) % 500, Buffer.alloc(30_000, i))
      apply(follower, 1024 * 1024)
      insert.run(1, Buffer.from(`${round}`))
      salts.add(follower.position.salts)
    }
    apply(follower)
    assert.deepEqual(contentsOfCopy(), contents(file))
    assert.ok(follower.logBytes() < 80 * 1024 * 1024, `${follower.logBytes()} bytes`)
    assert.ok(salts.size > 1)
    follower.close()
    writer.close()
  })
})
