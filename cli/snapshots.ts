import type { Snapshot } from '../client/index.ts'
import { UsageError } from './config.ts'
import { bucketName, printable } from './places.ts'
import { print, type Run } from './run.ts'

const DURATION = /^(\d{1,5})([hdw])$/
const UNITS: { [unit: string]: number } = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** When a duration from the command line is over, from now. */
export function endAfter(option: string, text: string): string {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  if (count === undefined) throw new UsageError(`${option} must be hours, days or weeks, such as 12h, 30d or 4w.`)
  return new Date(Date.now() + Number(count) * (UNITS[unit] ?? 0)).toISOString()
}

interface NewSnapshot {
  name: string
  note: string | undefined
  at: string | undefined
  expires: string | undefined
}

/** Names a moment of a bucket, and prints it. */
async function createSnapshot(run: Run, bucketText: string, given: NewSnapshot): Promise<void> {
  const { name, note, at, expires } = given
  const body = {
    name,
    ...(note === undefined ? {} : { note }),
    ...(at === undefined ? {} : { at }),
    ...(expires === undefined ? {} : { expires_at: endAfter('--expires', expires) }),
  }
  await printSnapshot(run, await run.client.createSnapshot({ params: { bucket: bucketName(bucketText) }, body }))
}

async function listSnapshots(run: Run, bucketText: string): Promise<void> {
  const params = { bucket: bucketName(bucketText) }
  for await (const one of run.client.all.listSnapshots({ params })) await printSnapshot(run, one)
}

async function removeSnapshot(run: Run, bucketText: string, name: string): Promise<void> {
  await run.client.deleteSnapshot({ params: { bucket: bucketName(bucketText), name } })
}

async function printSnapshot(run: Run, one: Snapshot): Promise<void> {
  if (run.json) return print(`${JSON.stringify(one)}\n`)
  const { moment, name, note, expires_at } = one
  const words = [expires_at === null ? '' : `until ${expires_at.slice(0, 16)}Z`, printable(note ?? '')]
  await print(`${[moment, name.padEnd(20), ...words.filter((word) => word !== '')].join('  ').trimEnd()}\n`)
}

const USAGE = 'usage: strongroom snapshot create|ls|rm <bucket> [name]'

/** `snapshot`: creates, lists or deletes snapshots. */
export function snapshots(
  run: Run,
  [what = '', bucket = '', name]: readonly string[],
  given: Omit<NewSnapshot, 'name'>,
): Promise<void> {
  if (what === 'ls' && name === undefined) return listSnapshots(run, bucket)
  if (name === undefined) throw new UsageError(USAGE)
  if (what === 'create') return createSnapshot(run, bucket, { name, ...given })
  if (what === 'rm') return removeSnapshot(run, bucket, name)
  throw new UsageError(USAGE)
}
