// A standby whose process died while it wrote is whole again before anybody reads it, without asking the backup place.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, it } from 'node:test'
import { openDatabase } from '../../server/db/open.ts'
import { standbyFiles } from '../../server/db/standby-state.ts'
import type { NamedFiles } from '../../server/drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../server/drivers/named-files/open.ts'
import { Shipper } from '../../server/process/backup/shipper.ts'
import { Follower } from '../../server/process/standby/follower.ts'
import { random as randomOf } from '../faults/random.ts'
import { until } from '../support/until.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-standby-file-'))
after(() => fs.rmSync(root, { recursive: true, force: true }))
const secretKeys = ['a secret key for tests with more than 32 characters']
const PAGE = 4096

const contents = (file: string): unknown[] => {
  const database = new DatabaseSync(file, { readOnly: true })
  const found = [
    database.prepare('pragma integrity_check').get()?.integrity_check,
    ...database.prepare('select id, hex(bytes) as bytes from t order by id').all(),
  ]
  database.close()
  return found
}

it('finishes what was being written, and leaves out what was not', async () => {
  const random = randomOf(88)
  const main = path.join(root, 'main.db')
  const service = await openDatabase(`sqlite:${main}`)
  await service.migrate()
  const writer = new DatabaseSync(main, { timeout: 10_000 })
  writer.exec('pragma wal_autocheckpoint = 0; create table t (id integer primary key, bytes blob)')
  const url = `file:${path.join(root, 'backup')}`
  const place = await openNamedFiles(url, null)
  const shipper = new Shipper({ database: main, url, place, secretKeys, keyName: 'k', every: 0, now: () => new Date() })
  const ship = async () => {
    await shipper.step(true)
    shipper.tell(null)
  }
  const change = () => {
    for (let i = 0; i < 20; i++)
      writer
        .prepare('insert or replace into t values (?, randomblob(?))')
        .run(random.int(0, 200), random.int(0, 30_000))
    if (random.chance(0.3)) writer.exec('delete from t where id % 3 = 0')
  }
  change()
  await ship()
  await until(async () => {
    await shipper.step()
    return JSON.parse(fs.readFileSync(`${main}-backup`, 'utf8')).based
  })
  const database = path.join(root, 'standby.db')
  const files = standbyFiles(database)
  const followed = (from: NamedFiles) =>
    new Follower({
      database,
      from: url,
      place: from,
      secretKeys,
      report: () => undefined,
      onReplace: async () => undefined,
    })
  const away = new Proxy(place, { get: () => () => Promise.reject(new Error('The place is away')) })
  let follower = followed(place)
  while (await follower.step());
  for (let round = 0; round < 20; round++) {
    change()
    await ship()
    const [state, before] = [fs.readFileSync(files.state), fs.readFileSync(files.database)]
    while (await follower.step());
    follower.close()
    assert.deepEqual(contents(files.database), contents(main), `round ${round}`)
    const written = fs.readFileSync(files.database)
    // The process was killed after it had written some pages, and before that was noted.
    fs.writeFileSync(files.state, state)
    const torn = Buffer.alloc(Math.max(before.length, written.length))
    for (let at = 0; at < torn.length; at += PAGE)
      (random.chance(0.5) ? before : written).subarray(at, at + PAGE).copy(torn, at)
    fs.writeFileSync(files.database, torn)
    follower = followed(away)
    await follower.open()
    assert.deepEqual(contents(files.database), contents(main), `round ${round}, again`)
    follower.close()
    follower = followed(place)
    await follower.open()
  }
  follower.close()
  writer.close()
  await service.close()
  await shipper.close(true)
})
