import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import type { Job } from '../client/index.ts'
import { isRemote, prefixedPlace, printable, remotePlace, show } from './places.ts'
import { runPlanned, sumLine } from './planned-job.ts'
import { objectsText, type Run } from './run.ts'
import { upload } from './transfer.ts'

interface Wanted {
  /** A file, or an object. */
  needed: string
  /** Where the server writes all keys. */
  report: string | undefined
  delete: boolean
  yes: boolean
  wait: boolean
}

/** `orphans`: compares a list of the keys that are needed with a bucket, and has the rest deleted if that is wanted. */
export async function orphans(run: Run, target: string, wanted: Wanted): Promise<void> {
  const { bucket, prefix } = prefixedPlace(target)
  const report = wanted.report === undefined ? undefined : remotePlace(wanted.report)
  const list = isRemote(wanted.needed) ? undefined : { bucket, key: `${prefix}.strongroom-needed-${randomUUID()}` }
  const as_of = list && { as_of: (await fs.promises.stat(wanted.needed)).mtime.toISOString() }
  const named = list ?? remotePlace(wanted.needed)
  const body = {
    kind: 'delete',
    source_bucket: bucket,
    prefix,
    needed: {
      bucket: named.bucket,
      key: named.key,
      ...as_of,
      ...(report && { report: { bucket: report.bucket, prefix: report.key } }),
    },
  } as const
  if (list) await upload(run, wanted.needed, list.bucket, list.key)
  try {
    await runPlanned(
      run,
      {
        bucket,
        body,
        lines,
        sums: ({ comparison }) => ({ changes: comparison?.orphans.objects ?? 0, growth_bytes: 0, room_bytes: null }),
        question: ({ comparison }) =>
          `Delete ${objectsText(comparison?.orphans.objects ?? 0)} from ${show(bucket, prefix)}?`,
        asPlanned: () => body,
      },
      // The list is read until the job has its own.
      { dryRun: !wanted.delete, yes: wanted.yes, wait: wanted.wait || list !== undefined },
    )
  } finally {
    if (list) await run.client.deleteObject({ params: list })
  }
}

function lines({ comparison }: Job): string[] {
  if (!comparison) return []
  const { needed, missing, orphans, newer, orphan_keys, missing_keys, report } = comparison
  const more = (count: number, shown: readonly string[]) =>
    count > shown.length ? [`  and ${count - shown.length} more${report ? '' : ': --report writes all of them'}`] : []
  return [
    `are needed: ${objectsText(needed)}`,
    `are missing: ${objectsText(missing)}`,
    ...missing_keys.map((key) => `  ${printable(key)}`),
    ...more(missing, missing_keys),
    sumLine('are needed by nobody', orphans),
    ...orphan_keys.map((key) => `  ${printable(key)}`),
    ...more(orphans.objects, orphan_keys),
    ...(newer > 0 ? [`stay, since they are newer than the list: ${objectsText(newer)}`] : []),
    ...(report ? [`all keys: ${show(report.bucket, report.orphans)}, ${show(report.bucket, report.missing)}`] : []),
  ]
}
