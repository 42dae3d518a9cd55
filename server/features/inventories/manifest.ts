// What says that an inventory is whole, and of which files. As S3 writes it, with what it has no word for besides.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
import { createHash } from 'node:crypto'
import { formatMoment } from '../../base/moment.ts'
import type { Ctx } from '../../context.ts'
import type { Claim } from '../../work/lease.ts'
import { changeTable, chosenColumns, objectTable } from './columns.ts'
import { bytesOf, writeFile } from './files.ts'
import { bucketsOf, filesOf, folderOf, keyIn, runSettings, type WrittenFile } from './run.ts'
import type * as runStore from './runs/store.ts'
import { csvName } from './tables/csv.ts'
import { parquetSchema } from './tables/parquet.ts'
import type { TableColumn } from './tables/table.ts'

const fileIn = ({ key, size, md5, rows }: WrittenFile) => ({ key, size, MD5checksum: md5, rows })

/** Writes the list of files for readers of Hive, the manifest, and its checksum, in this order. */
export async function writeManifest(ctx: Ctx, claim: Claim, row: runStore.RunRow): Promise<void> {
  const settings = runSettings(row)
  const { format, bucket, columns, destination } = settings
  const schemaOf = (table: readonly TableColumn[]): string =>
    format === 'parquet' ? parquetSchema(table) : table.map((column) => csvName(column.name)).join(', ')
  const files = filesOf(row)
  const moment = Number(row.moment)
  const since = bucketsOf(row).find(({ before }) => before !== null)?.before ?? null
  const manifest = {
    sourceBucket: bucket ?? '*',
    destinationBucket: `arn:aws:s3:::${destination.bucket}`,
    version: '2016-11-30',
    creationTimestamp: String(Math.floor(moment / 1000)),
    fileFormat: format === 'parquet' ? 'Parquet' : 'CSV',
    fileSchema: schemaOf(objectTable(chosenColumns(columns))),
    files: files.filter(({ of }) => of === 'objects').map(fileIn),
    moment: formatMoment(moment),
    changes:
      since === null
        ? null
        : {
            since: formatMoment(since),
            fileSchema: schemaOf(changeTable),
            files: files.filter(({ of }) => of === 'changes').map(fileIn),
          },
  }
  const text = JSON.stringify(manifest, undefined, 2)
  const links = manifest.files.map(({ key }) => `s3://${destination.bucket}/${key}\n`).join('')
  const day = (row.folder ?? '').split('/').at(-2)?.replace('T', '-').replace('Z', '')
  const symlink = `${destination.prefix}${folderOf(settings)}/hive/dt=${day}/symlink.txt`
  const plain = (key: string, content: string, content_type = 'text/plain') =>
    writeFile(ctx, claim, row, { key, content_type, source: () => bytesOf(content) })
  await plain(symlink, links)
  await plain(keyIn(row, 'manifest.json'), text, 'application/json')
  await plain(keyIn(row, 'manifest.checksum'), createHash('md5').update(text).digest('hex'))
}
