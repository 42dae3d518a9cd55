// The files of an inventory: each is an object that the service writes for the inventory's author.
import { createHash } from 'node:crypto'
import { SECOND_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { write } from '../../storage/objects/write.ts'
import { type Claim, renewed } from '../../work/lease.ts'
import { Interrupted } from '../../work/steps.ts'
import { lease } from './lease.ts'
import { keyIn, runSettings, type WrittenFile } from './run.ts'
import * as runStore from './runs/store.ts'
import { csvWriter } from './tables/csv.ts'
import { parquetWriter } from './tables/parquet.ts'
import type { TableColumn, TablePage, TableWriter } from './tables/table.ts'

const RENEW_MS = 15 * SECOND_MS

/**
 * To be called while a file is written, as often as one likes: keeps the claim, and throws Interrupted when the process is
 * stopping or the run is to be cancelled.
 */
export function keepAlive(ctx: Ctx, claim: Claim): () => Promise<void> {
  let renewedAt = ctx.now().getTime()
  return async () => {
    if (ctx.stopping.aborted) throw new Interrupted()
    const now = ctx.now().getTime()
    if (now - renewedAt < RENEW_MS) return
    renewedAt = now
    const isCancelled = await ctx.upkeep(async (step) => {
      const { id, cancel_at } = await lease.hold(step.tx, claim)
      await runStore.updateRun(step.tx, id, renewed(step))
      return cancel_at !== null
    })
    if (isCancelled) throw new Interrupted()
  }
}

const TYPES = { parquet: 'application/vnd.apache.parquet', csv: 'application/gzip' } as const
const ENDINGS = { parquet: 'parquet', csv: 'csv.gz' } as const

const writerFor = (format: 'parquet' | 'csv', columns: readonly TableColumn[]): TableWriter =>
  format === 'parquet' ? parquetWriter(columns) : csvWriter(columns)

/** Writes pages as a file of a table, which is one object; the same pages under the same number replace it. */
export async function writeTable(
  ctx: Ctx,
  claim: Claim,
  row: runStore.RunRow,
  { of, number, columns }: { of: WrittenFile['of']; number: number; columns: readonly TableColumn[] },
  pages: () => AsyncIterable<TablePage>,
): Promise<WrittenFile> {
  const { format } = runSettings(row)
  const folder = of === 'objects' ? 'data' : 'changes'
  const key = keyIn(row, `${folder}/${String(number).padStart(5, '0')}.${ENDINGS[format]}`)
  let rows = 0
  let table: TableWriter | undefined
  const source = async function* () {
    const writer = writerFor(format, columns)
    table = writer
    for await (const page of pages()) {
      rows += page.rows
      const bytes = await writer.add(page)
      if (bytes.length > 0) yield bytes
    }
    const rest = await writer.end()
    if (rest.length > 0) yield rest
  }
  try {
    const file = await writeFile(ctx, claim, row, { key, content_type: TYPES[format], source })
    return { ...file, rows, of }
  } finally {
    // Here, since a write that fails need not have read the source to its end.
    table?.drop()
  }
}

/**
 * Writes bytes as an object of the destination, and returns what a manifest says of it. Throws LeaseLost, with nothing written,
 * where another process has the run by then: what that has written stays.
 */
export async function writeFile(
  ctx: Ctx,
  claim: Claim,
  row: runStore.RunRow,
  { key, content_type, source }: { key: string; content_type: string; source: () => AsyncIterable<Uint8Array> },
): Promise<{ key: string; size: number; md5: string }> {
  const md5 = createHash('md5')
  let size = 0
  const counted = async function* () {
    for await (const bytes of source()) {
      md5.update(bytes)
      size += bytes.length
      yield bytes
    }
  }
  const { bucket } = runSettings(row).destination
  const upload = { key, content_type, metadata: {}, source: counted }
  await write(ctx, bucket, upload, {}, (tx) => lease.hold(tx, claim))
  return { key, size, md5: md5.digest('hex') }
}

/** The bytes of a text, once. */
export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
