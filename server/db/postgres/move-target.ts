import type pg from 'pg'
import { Refusal } from '../../base/refusal.ts'
import { migrateForMove, UNFINISHED } from '../migrate.ts'
import type { Target } from '../move/side.ts'
import { type Column, listedColumns, quoted, type Value, type Values } from '../move/table.ts'
import { copyIn } from './copy-in.ts'
import { openHandle } from './look.ts'
import { connectForMove, identitiesOf, OURS, rowsOf, select, sequencesOf, tablesOf } from './move-rows.ts'

/** Bytes of rows that are sent together. */
const CHUNK = 256 * 1024
/** Of an advisory lock that each move holds on its target. */
const LOCK = 0x6d6f7665

/**
 * Creates the schema in an empty database, or anew in one whose move was not finished, and marks it as unfinished; the
 * caller has found nothing else in it. Throws a Refusal while another move fills it.
 */
export async function openPostgresTarget(url: string): Promise<Target> {
  const client = await connectForMove(url, '--to')
  try {
    const [[locked] = []] = await select(client, `select pg_try_advisory_lock(${LOCK})`)
    if (locked !== 't') throw new Refusal('Another strongroom move-database is filling the database of --to.')
    const [[encoding] = []] = await select(client, 'show server_encoding')
    if (encoding !== 'UTF8')
      throw new Refusal(`The database of --to has the encoding ${encoding}. Create it with the encoding UTF8.`)
    await drop(client)
    const handle = openHandle(url)
    try {
      await migrateForMove(handle, 'postgres')
    } finally {
      await handle.destroy()
    }
    return targetOf(client)
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Removes the tables of an unfinished move, and the functions of their triggers. */
async function drop(client: pg.Client): Promise<void> {
  const functions = await select(
    client,
    `select distinct t.tgfoid::regprocedure from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and ${OURS}`,
  )
  const tables = await select(client, `select c.relname from pg_class c where c.relkind in ('r', 'p') and ${OURS}`)
  await inTransaction(client, [
    ...tables.map(([name = '']) => `drop table ${quoted(name)} cascade`),
    ...functions.map(([name]) => `drop function ${name}`),
  ])
}

async function inTransaction(client: pg.Client, statements: readonly string[]): Promise<void> {
  await client.query(['begin', ...statements, 'commit'].join(';\n'))
}

function targetOf(client: pg.Client): Target {
  /** Statements that make what was removed again. */
  let removed: readonly string[] = []
  return {
    tables: () => tablesOf(client),
    async *rows(table) {
      await client.query('begin read only')
      yield* rowsOf(client, table)
      await client.query('commit')
    },
    sequences: () => sequencesOf(client),
    async clear() {
      // Those of a primary key stay: rows arrive in its order.
      const constraints = await select(
        client,
        `select format('alter table %I drop constraint %I', c.relname, k.conname),
            format('alter table %I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
          from pg_constraint k join pg_class c on c.oid = k.conrelid
          where k.contype in ('f', 'u') and ${OURS} order by k.contype, k.conname`,
      )
      const indexes = await select(
        client,
        `select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
          from pg_index i join pg_class c on c.oid = i.indrelid
          where c.relname not like 'kysely\\_%' and ${OURS}
            and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
          order by i.indexrelid`,
      )
      const all = (await tablesOf(client)).map(({ name }) => quoted(name))
      // Unique constraints come before the foreign keys that may need them.
      removed = [...constraints.toReversed(), ...indexes].map(([, make = '']) => make)
      const drops = [...constraints, ...indexes].map(([remove = '']) => remove)
      // What triggers would write comes with the rows.
      const stilled = all.map((table) => `alter table ${table} disable trigger user`)
      await inTransaction(client, [...drops, ...stilled, ...all.map((table) => `delete from ${table}`)])
    },
    write: (table, rows) =>
      copyIn(client, `copy ${quoted(table.name)} (${listedColumns(table)}) from stdin`, encoded(table.columns, rows)),
    async setSequences(last) {
      for (const [table = '', , sequence = ''] of await identitiesOf(client)) {
        const value = last.get(table)
        if (value !== undefined) await client.query(`select setval('${sequence}', ${value})`)
      }
    },
    async complete() {
      for (const statement of removed) await client.query(statement)
      for (const { name } of await tablesOf(client))
        await client.query(`alter table ${quoted(name)} enable trigger user`)
      for (const { name } of await tablesOf(client)) await client.query(`vacuum (analyze) ${quoted(name)}`)
    },
    finish: async () => void (await client.query(`delete from kysely_migration where name = '${UNFINISHED}'`)),
    close: () => client.end(),
  }
}

/** Rows in COPY's text format. */
async function* encoded(columns: readonly Column[], batches: AsyncIterable<readonly Values[]>): AsyncGenerator<Buffer> {
  let text = ''
  for await (const rows of batches) {
    for (const values of rows) {
      for (let at = 0; at < columns.length; at++) text += `${at === 0 ? '' : '\t'}${fieldOf(values[at] as Value)}`
      text += '\n'
      if (text.length < CHUNK) continue
      yield Buffer.from(text)
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text)
}

function fieldOf(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'string')
    return SPECIAL.test(value) ? value.replaceAll(EACH, (one) => escapes[one] ?? one) : value
  if (value instanceof Uint8Array)
    return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
  return String(value)
}
const SPECIAL = /[\\\t\n\r]/
const EACH = /[\\\t\n\r]/g
const escapes: { readonly [letter: string]: string } = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
