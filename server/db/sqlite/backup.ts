import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../../contract/errors.ts'
import type { Copied } from '../database.ts'
import { openAsItLies } from './look.ts'

/** Pages of one step: all of them. */
const ALL = 2 ** 31 - 1

/**
 * Copies a snapshot of a SQLite database into a new file that only its owner can read, and checks the copy before
 * naming it; a copy that fails is deleted. It copies in one step, since SQLite starts again when somebody writes
 * between two, which beside a busy service never ends; a reader of the WAL blocks no writer. A thread of libuv copies,
 * on its own connection.
 */
export async function backupSqlite(file: string, target: string): Promise<Copied> {
  const draft = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}.partial`)
  let source: DatabaseSync | undefined
  try {
    if (fs.existsSync(target)) throw taken(target)
    fs.closeSync(fs.openSync(draft, 'wx', 0o600))
    source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
    await backup(source, draft, { rate: ALL })
    const counts = examine(draft)
    sync(draft, 'r+')
    const { size } = fs.statSync(draft)
    name(draft, target)
    sync(path.dirname(path.resolve(target)), 'r')
    return { ...counts, size }
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException
    // Errors of the file system concern the file that the caller named.
    if (syscall && code) throw new ServiceError('invalid_request', `Cannot write the copy: ${message}`)
    throw error
  } finally {
    source?.close()
    removeFiles(draft)
  }
}

const taken = (target: string) => new ServiceError('already_exists', `${target} already exists.`)

/** Checks the copy before it gets its name. */
function examine(draft: string): Omit<Copied, 'size'> {
  const refuse = (why: string): never => {
    throw new ServiceError('conflict', `${why} Nothing was written.`)
  }
  const copy = openAsItLies(draft)
  try {
    const tables = new Set(
      copy
        .prepare("select name from sqlite_schema where type = 'table'")
        .all()
        .map(({ name }) => name),
    )
    const count = (table: string, which = ''): number =>
      tables.has(table)
        ? Number(copy.prepare(`select count(*) as n from ${table} ${which}`).get()?.n)
        : refuse(`This is not a Strongroom database: it has no table "${table}". Check DATABASE_URL and DATA_DIR.`)
    count('kysely_migration')
    const found = copy.prepare('pragma quick_check(3)').all()
    if (found.length !== 1 || found[0]?.quick_check !== 'ok')
      refuse(`The copy is damaged, and the database may be too: ${found.map((row) => row.quick_check).join('; ')}.`)
    const counts = {
      buckets: count('buckets', 'where deleted_at is null'),
      objects: count('objects'),
      users: count('users'),
    }
    if (counts.buckets === 0 && counts.users === 0)
      refuse('The database is empty: it has no user and no bucket. Is DATABASE_URL, or DATA_DIR, the right one?')
    // In a snapshot every object has its bucket and its blob.
    const [stray] = copy.prepare('pragma foreign_key_check(objects)').all()
    if (stray) refuse(`The copy is inconsistent: an object refers to a missing row of "${stray.parent}".`)
    return counts
  } finally {
    copy.close()
  }
}

/** Gives the finished file its name; throws if somebody took it meanwhile. */
function name(draft: string, target: string): void {
  try {
    fs.linkSync(draft, target)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || fs.existsSync(target)) throw taken(target)
    // A file system without hard links, such as that of a USB stick.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    fs.renameSync(draft, target)
  }
}

function sync(file: string, flags: string): void {
  const fd = fs.openSync(file, flags)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Copies a snapshot of a database into a new file as it is, without looking at what it says. An existing file of that name is
 * overwritten.
 */
export async function copySqlite(file: string, target: string): Promise<void> {
  removeFiles(target)
  fs.closeSync(fs.openSync(target, 'wx', 0o600))
  const source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    await backup(source, target, { rate: ALL })
  } finally {
    source.close()
  }
}

/** Removes a database that nobody has open, with what SQLite keeps beside it. */
export function removeFiles(file: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm']) fs.rmSync(file + ending, { force: true })
}
