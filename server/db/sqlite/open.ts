import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Kysely, sql } from 'kysely'
import type { AllOptions, Database } from '../database.ts'
import { insideTransaction, isInsideTransaction, rootHandleGuard } from '../guard.ts'
import { migrate } from '../migrate.ts'
import { LaterChange, Moments, RunningChange } from '../moments.ts'
import { observeDialect } from '../observe.ts'
import type { Schema } from '../schema.ts'
import { openHandle } from '../transaction.ts'
import { backupSqlite } from './backup.ts'
import { startCheckpoints } from './checkpoint.ts'
import {
  kyselyDatabase,
  ReadingSqliteDialect,
  readerAtOnce,
  WritingSqliteDialect,
  waitAfterReads,
  withoutRowLocks,
} from './dialect.ts'
import { newDurability } from './durability.ts'
import { isFull, isOutage } from './errors.ts'
import { isThere, makePrivate } from './file.ts'
import { CommitGroups, type Group, LOCK_MS } from './group.ts'
import { openReserve, releaseIfFull } from './reserve.ts'
import { revisionOfReader, revisionOfWriter } from './revision.ts'

/** What the log keeps of the disk once it starts from its beginning again: 64 MiB. */
const LOG_BYTES = 64 * 1024 * 1024
/** A log below this is not worth giving back when the disk is full, in bytes. */
const LOG_WORTH = 1024 * 1024

/** Opens a SQLite file for one writer and one reader in this process; `turn` is asked for where others write, too. */
export async function openSqlite(file: string, options: AllOptions): Promise<Database> {
  const { report, migrated, observer, answersWait, existing, turn } = options
  const folder = path.dirname(path.resolve(file))
  if (!existing) makePrivate(file, report)
  else if (!isThere(file)) throw new Error(`There is no database at ${file}`)
  releaseIfFull(file)
  const reserve = openReserve(file)
  const open = (readOnly: boolean) => {
    const database = new DatabaseSync(file, { readOnly, timeout: LOCK_MS })
    if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = on;')
    database.exec('pragma foreign_keys = on; pragma cache_size = -8192; pragma temp_store = memory;')
    return kyselyDatabase(database)
  }
  const writing = open(false)
  const waitForLocks = (ms: number) => writing.database.exec(`pragma busy_timeout = ${ms}`)
  writing.database.exec(`pragma wal_autocheckpoint = 0; pragma journal_size_limit = ${LOG_BYTES}`)
  const groups = new CommitGroups({
    database: writing.database,
    syncing: () => durability.syncing(),
    committed: () => durability.committed(),
    visible: () => revision.forget(),
    turn,
  })
  const moments = new Moments()
  const running = new RunningChange(moments)
  writing.database.function('strongroom_moment', (floor) => BigInt(running.moment(Number(floor))))
  writing.database.function('strongroom_author', () => {
    const author = running.author()
    return author === null ? null : BigInt(author)
  })
  const shared = { committed: Number.NaN }
  const { handle: writer, transact } = await openHandle(
    observeDialect(
      new WritingSqliteDialect(writing, groups, revisionOfWriter(shared, writing.database)),
      observer,
      isOutage,
    ),
    [withoutRowLocks],
  )
  await sql`select count(*) from sqlite_schema`.execute(writer)
  waitForLocks(0)

  // Opened once, after the first statement has created the file, and kept as long as the connection: SQLite's locks are
  // on other files, so closing this descriptor drops none of them.
  const wal = fs.openSync(`${file}-wal`, 'r')
  const folderHandle = fs.openSync(folder, 'r')
  fs.fsyncSync(folderHandle)
  fs.closeSync(folderHandle)
  let broken: Error | undefined
  const fdatasync = promisify(fs.fdatasync)
  const durability = newDurability(async () => {
    if (broken) throw broken
    try {
      await fdatasync(wal)
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages, so nothing can be acknowledged any more.
      broken = error as Error
      throw error
    }
  })

  // What another process has committed is here to be read, whether or not it lives to sync it. What the log holds already
  // may be from one that was killed.
  durability.committed()
  const version = writing.database.prepare('pragma data_version')
  const versionNow = () => version.get()?.data_version
  let seen = versionNow()
  /** Until everything that could be read so far is durable, whoever wrote it; undefined when it is. */
  const settled = (): Promise<void> | undefined => {
    const now = versionNow()
    if (now !== seen) {
      seen = now
      durability.committed()
    }
    return durability.pending()
  }
  const settle = async (pending: Promise<void>): Promise<void> => {
    const began = performance.now()
    await pending
    observer.synced(began)
  }
  /** A read may have seen a commit that is not durable yet, so its answer waits for that. */
  const settleRead = (): Promise<void> | undefined => {
    const pending = answersWait() ? undefined : settled()
    return pending && settle(pending)
  }
  const reading = open(true)
  const revision = revisionOfReader(shared, reading.database, observer, settleRead)
  const reader = new Kysely<Schema>({
    dialect: waitAfterReads(
      observeDialect(
        new ReadingSqliteDialect(reading, revision, readerAtOnce(reading, { observer, isOutage, wait: settleRead })),
        observer,
        isOutage,
      ),
      settleRead,
    ),
    plugins: [withoutRowLocks, rootHandleGuard],
  })
  const checkpoints = startCheckpoints(file, () => {
    groups.afterGroup(() => writing.database.exec('pragma wal_checkpoint(passive)'))
  })
  const logBytes = () => fs.fstatSync(wal).size
  /** Makes room on a full disk; false where there is none to be had. */
  const makeRoom = async (): Promise<boolean> => {
    const held = reserve.held()
    const released = reserve.release()
    if (held > 0) report(new Error(`The disk is full: the reserve of ${held} bytes next to the database was let go`))
    const before = logBytes()
    // Also where the reserve was let go: copying the log makes the database larger, for which there is room only now. Once the log
    // has taken the reserve too, nothing could be copied any more.
    if (before > LOG_WORTH) await checkpoints.truncate()
    return released || logBytes() < before
  }
  const database: Database = {
    db: reader,
    async transaction(work, { relaxed = false, change } = {}) {
      if (isInsideTransaction()) throw new Error('A transaction was started inside another one')
      let group: Group | undefined
      let drawn: number | null = null
      const run = async () => {
        try {
          return await transact(async (tx) => {
            const own = groups.current()
            group = own
            running.begin(change)
            drawn = null
            try {
              const result = await insideTransaction(() => work(tx))
              own.relies ||= !relaxed
              drawn = running.drawn()
              return result
            } catch (error) {
              own.failure = error
              throw error
            }
          })
        } finally {
          await group?.ended
        }
      }
      // The reason it failed, such as a name that is taken, is an answer too, and may be one that its group gave.
      const runAgain = async (error: unknown) => {
        if (error instanceof LaterChange) return run()
        if (error instanceof Error && isFull(error) && (await makeRoom())) return run()
        throw error
      }
      const result = await run()
        .catch(runAgain)
        .catch(async (error: unknown) => {
          await settleRead()
          throw error
        })
      checkpoints.committed()
      const pending = durability.pending()
      if (relaxed) await settleRead()
      else if (pending) await settle(pending)
      if (drawn !== null) change?.made?.(drawn)
      return result
    },
    settled,
    async settleMoment(moment) {
      moments.saw(moment)
      // Only one transaction writes at a time: this one waits for its turn, and for the group that it is in.
      await database.transaction(async () => undefined, { relaxed: true })
    },
    migrate: async () => {
      waitForLocks(LOCK_MS)
      await migrate(writer, 'sqlite', report, migrated)
      groups.flush()
      waitForLocks(0)
      await durability.sync()
    },
    async check() {
      const failure = broken ?? checkpoints.failure()
      if (failure) throw failure
      await sql`select 1`.execute(reader)
    },
    pool: () => null,
    reserve,
    async shrinkLog(least) {
      return logBytes() <= least || checkpoints.truncate()
    },
    async backup(target) {
      const copied = await backupSqlite(file, target)
      // The copy must not have what the database would lose in a power failure, whichever process wrote it.
      await durability.sync()
      return copied
    },
    async close() {
      await checkpoints.stop()
      await reader.destroy()
      // Kysely closes only what it has used.
      if (reading.database.isOpen) reading.database.close()
      await writer.destroy()
      fs.closeSync(wal)
    },
  }
  return database
}
