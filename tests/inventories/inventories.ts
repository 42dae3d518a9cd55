import { createHash } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import Papa from 'papaparse'
import type { Client } from '../../client/derived.ts'
import type { InventoryRun } from '../../contract/inventories.ts'
import { until } from '../support/until.ts'

export type NewInventory = Parameters<Client['createInventory']>[0]['body']
/** A row of a table, by the names of its columns. */
export type Line = { [column: string]: unknown }

export interface Manifest {
  sourceBucket: string
  destinationBucket: string
  creationTimestamp: string
  fileFormat: string
  fileSchema: string
  files: { key: string; size: number; MD5checksum: string; rows: number }[]
  moment: string
  changes: { since: string; files: Manifest['files'] } | null
}

export async function readObject(client: Client, bucket: string, key: string): Promise<Buffer> {
  return Buffer.from(await (await client.getObject({ params: { bucket, key } })).arrayBuffer())
}

/** The rows of a Parquet file. */
export const readParquet = async (bytes: Buffer): Promise<Line[]> =>
  parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    compressors: { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) },
  })

/** The rows of a file of CSV, which has no header. */
export const readCsv = (bytes: Buffer): string[][] =>
  Papa.parse<string[]>(gunzipSync(bytes).toString('utf8'), { skipEmptyLines: true }).data

/** A run once it has ended. */
export async function ended(client: Client, { inventory_id: id, id: run_id }: InventoryRun): Promise<InventoryRun> {
  let run: InventoryRun | undefined
  await until(async () => {
    run = await client.getInventoryRun({ params: { id, run_id } })
    return run.finished_at !== null
  })
  return run as InventoryRun
}

/** The manifest of a run, once it is whole, and that its files are what it says. */
export async function readManifest(client: Client, bucket: string, run: InventoryRun): Promise<Manifest> {
  const text = await readObject(client, bucket, run.manifest ?? '')
  const checksum = await readObject(client, bucket, (run.manifest ?? '').replace('.json', '.checksum'))
  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
  if (md5(text) !== checksum.toString()) throw new Error('The checksum is not that of the manifest.')
  const manifest = JSON.parse(text.toString()) as Manifest
  for (const { key, size, MD5checksum } of [...manifest.files, ...(manifest.changes?.files ?? [])]) {
    const bytes = await readObject(client, bucket, key)
    if (bytes.length !== size || md5(bytes) !== MD5checksum) throw new Error(`${key} is not what the manifest says.`)
  }
  return manifest
}

/** All rows of an inventory's objects, or of its changes, in the order of its files. */
export async function readTable(
  client: Client,
  bucket: string,
  files: readonly { key: string }[] = [],
): Promise<Line[]> {
  const rows: Line[] = []
  for (const { key } of files) rows.push(...(await readParquet(await readObject(client, bucket, key))))
  return rows
}
