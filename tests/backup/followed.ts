import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../server/db/open.ts'
import { standbyFiles } from '../../server/db/standby-state.ts'
import type { NamedFiles } from '../../server/drivers/named-files/named-files.ts'
import { openNamedFiles } from '../../server/drivers/named-files/open.ts'
import { Shipper } from '../../server/process/backup/shipper.ts'
import { Follower } from '../../server/process/standby/follower.ts'
import { until } from '../support/until.ts'

export const secretKeys = ['a secret key for tests with more than 32 characters']

/** A place whose calls can be replaced. */
export const placeWith = (place: NamedFiles, calls: Partial<NamedFiles>): NamedFiles => ({ ...place, ...calls })

/** A main database in a folder, and what copies it to a place, step by step. */
export async function openMain(
  folder: string,
  { place: given, backup = folder }: { place?: (own: NamedFiles) => NamedFiles; backup?: string } = {},
) {
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'main.db')
  const url = `file:${path.join(backup, 'backup')}`
  const own = await openNamedFiles(url, null)
  const service = await openDatabase(`sqlite:${file}`)
  await service.migrate()
  const writer = new DatabaseSync(file, { timeout: 10_000 })
  writer.exec('pragma wal_autocheckpoint = 0; create table if not exists t (id integer primary key, bytes blob)')
  let clock = 0
  const shipper = new Shipper({
    database: file,
    url,
    place: given?.(own) ?? own,
    secretKeys,
    keyName: 'k',
    every: 0,
    now: () => new Date(Date.now() + clock),
  })
  return {
    file,
    url,
    place: own,
    shipper,
    writer,
    change: (bytes = 100) => void writer.prepare('insert into t (bytes) values (randomblob(?))').run(bytes),
    setClock(ms: number) {
      clock = ms
    },
    ship: () => shipper.step(true),
    /** Until there is a whole copy at the place. */
    async based() {
      await until(async () => {
        await shipper.step()
        return JSON.parse(fs.readFileSync(`${file}-backup`, 'utf8')).based
      })
      await shipper.step(true)
    },
    async close() {
      writer.close()
      await service.close()
      await shipper.close(false)
    },
  }
}

/** What follows a place into a folder. */
export function followerOf(folder: string, { from, place }: { from: string; place: NamedFiles }) {
  fs.mkdirSync(folder, { recursive: true })
  const database = path.join(folder, 'standby.db')
  const said: string[] = []
  const follower = new Follower({
    database,
    from,
    place,
    secretKeys,
    report: (line) => void said.push(line),
    onReplace: async () => undefined,
  })
  return { follower, database, said, files: standbyFiles(database) }
}

/** Applies all there is. */
export async function catchUp(follower: Follower): Promise<void> {
  while (await follower.step());
}

/** The rows of both databases' own table. */
export function rowsOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare('select id, hex(bytes) as bytes from t order by id').all()
  } finally {
    database.close()
  }
}
