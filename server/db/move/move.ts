import { Refusal } from '../../base/refusal.ts'
import { Digest } from './digest.ts'
import type { Side, Source, Target } from './side.ts'
import type { Table, Values } from './table.ts'

/** What a move reports as it proceeds; `ms` is how long it took. */
export interface Progress {
  stage: 'copied' | 'completed' | 'compared'
  /** Null for all tables together. */
  table: string | null
  rows: number
  ms: number
}

/** What was moved. */
export interface Moved {
  tables: number
  rows: number
}

/**
 * Copies every row of the source into the target, and compares counts and hashes of each table on both sides. The target
 * keeps its mark unless all are equal. Throws a Refusal where they are not, or where the source has changed meanwhile.
 */
export async function moveRows(source: Source, target: Target, report: (progress: Progress) => void): Promise<Moved> {
  let total = 0
  const pairs = pairsOf(await source.tables(), await target.tables())
  const timed = async <T>(stage: Progress['stage'], table: string | null, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    const rows = result instanceof Digest ? result.rows : total
    report({ stage, table, rows, ms: performance.now() - began })
    return result
  }
  await target.clear()
  const digests = new Map<string, string>()
  for (const [from, to] of pairs) {
    const digest = await timed('copied', from.name, async () => {
      const read = new Digest()
      await target.write(to, hashed(source.rows(from), read))
      return read
    })
    total += digest.rows
    digests.set(from.name, `${digest.rows} rows, ${digest.end()}`)
  }
  await target.setSequences(await source.sequences())
  await timed('completed', null, () => target.complete())
  for (const [from, to] of pairs) {
    const digest = await timed('compared', from.name, () => digestOf(target, to))
    const [copied, expected] = [`${digest.rows} rows, ${digest.end()}`, digests.get(from.name)]
    if (copied !== expected) throw differs(from.name, `it holds ${copied}; the source ${expected}`)
  }
  const [before, after] = await Promise.all([source.sequences(), target.sequences()])
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (before.get(name) !== after.get(name))
      throw differs(name, `its sequence is at ${after.get(name)}; that of the source at ${before.get(name)}`)
  await source.assertUnchanged()
  await target.finish()
  return { tables: pairs.length, rows: total }
}

async function digestOf(side: Side, table: Table): Promise<Digest> {
  const digest = new Digest()
  for await (const rows of side.rows(table)) digest.add(rows)
  return digest
}

async function* hashed(batches: AsyncIterable<readonly Values[]>, digest: Digest) {
  for await (const rows of batches) {
    digest.add(rows)
    yield rows
  }
}

const differs = (table: string, how: string): Refusal =>
  new Refusal(`The table ${table} of the target is not equal to that of the source: ${how}. The target cannot be used.`)

/** Each table of the source with that of the target; throws where they are not the same tables with the same columns. */
function pairsOf(source: readonly Table[], target: readonly Table[]): [Table, Table][] {
  const shape = ({ name, columns, key }: Table) => `${name} (${columns.map((one) => one.name)}; ${key})`
  const [from, to] = [source.map(shape), target.map(shape)]
  const lone = from.find((one) => !to.includes(one)) ?? to.find((one) => !from.includes(one))
  if (lone !== undefined)
    throw new Refusal(`The two databases do not have the same tables: ${lone} is not in both. Nothing was copied.`)
  return source.map((one, at) => [one, target[at] as Table])
}
