import type { Scan, TakeOver } from '../client/index.ts'
import { MOST_QUIET_HOURS } from '../contract/names.ts'
import { UsageError } from './config.ts'
import { bucketName, printable, showSource } from './places.ts'
import { agrees, bytesText, objectsText, print, type Run } from './run.ts'
import { followScan, isOpenScan, refuseHeld } from './scan.ts'
import { storageName } from './storages.ts'

interface TakeOverOptions {
  dryRun: boolean
  quietHours: string | undefined
  storage: string | undefined
  /** Whether objects that are marked as missing are left out. */
  withoutMissing: boolean
  yes: boolean
  wait: boolean
}

/** `take-over`: has a read-only bucket become the service's own without copying, and with `wait` follows the scan that does it. */
export async function takeOver(run: Run, target: string, options: TakeOverOptions): Promise<void> {
  const { client, json } = run
  const ofBucket = { params: { bucket: bucketName(target) } }
  const body = bodyOf(options)
  const { bucket } = ofBucket.params
  const where = await placeOf(run, bucket)
  const open = options.dryRun ? undefined : await findOpen(run, bucket)
  if (open) return conclude(run, open, { wait: options.wait })
  const first = await client.takeOverBucket({ ...ofBucket, body: { ...body, dry_run: true } })
  // Exactly those that are named here: if there are others by then, nothing is done.
  const leaving = options.withoutMissing && first.missing > 0 ? { without_missing: first.missing } : {}
  const plan =
    'without_missing' in leaving
      ? await client.takeOverBucket({ ...ofBucket, body: { ...body, ...leaving, dry_run: true } })
      : first
  if (json && (options.dryRun || !plan.ready)) await print(`${JSON.stringify(plan)}\n`)
  if (!json) await printPlan(plan, where, options.withoutMissing)
  if (!plan.ready) throw new Error(`The bucket ${bucket} cannot be taken over yet.`)
  if (options.dryRun) return
  const loss = 'without_missing' in leaving ? ` without ${missingText(plan)}` : ''
  const question = `Take over the bucket ${bucket}${loss}? From then on only Strongroom may write to ${where}, and what is deleted here is deleted there.`
  if (!(await agrees(question, options.yes))) throw new Error('Nothing was taken over.')
  const asked = await client.takeOverBucket({ ...ofBucket, body: { ...body, ...leaving } })
  if (asked.scan) await conclude(run, asked.scan, { wait: options.wait, asked })
}

function bodyOf({ quietHours, storage }: TakeOverOptions): { quiet_hours?: number; storage?: string } {
  if (quietHours !== undefined && (!/^\d{1,4}$/.test(quietHours) || Number(quietHours) > MOST_QUIET_HOURS))
    throw new UsageError(`--quiet-hours must be a number of at most ${MOST_QUIET_HOURS}.`)
  return {
    ...(quietHours !== undefined && { quiet_hours: Number(quietHours) }),
    ...(storage !== undefined && { storage: storageName(storage) }),
  }
}
/** What a read-only bucket shows, for display; throws for all others. */
async function placeOf({ client }: Run, bucket: string): Promise<string> {
  const { mode, source } = await client.getBucket({ params: { bucket } })
  if (!source) throw new Error(`The bucket ${bucket} is not attached, so there is nothing to take over.`)
  if (mode !== 'read_only') throw new Error(`The bucket ${bucket} was taken over already.`)
  return showSource(source)
}

/** The unfinished scan that takes the bucket over at its end. */
async function findOpen({ client }: Run, bucket: string): Promise<Scan | undefined> {
  const [latest] = (await client.listScans({ params: { bucket }, query: { limit: 1 } })).items
  return latest?.trigger === 'take_over' && isOpenScan(latest) ? latest : undefined
}

const missingText = ({ missing }: TakeOver): string =>
  `${missing.toLocaleString('en')} object${missing === 1 ? '' : 's'} marked as missing`

async function printPlan(plan: TakeOver, where: string, withoutMissing: boolean) {
  const { objects, bytes, unread, storage, quiet_since, problems, missing, missing_keys } = plan
  await print(`${objectsText(objects)} (${bytesText(bytes)}) stay${objects === 1 ? 's' : ''} at ${where}.
New bytes go to the storage ${storage}.
${unread} request${unread === 1 ? '' : 's'} for what no list has: types, metadata, tags and versions.
`)
  if (quiet_since !== null)
    await print(`Others have changed nothing since ${quiet_since.slice(0, 19)}Z, as far as is known.\n`)
  if (missing > 0) {
    const more = missing - missing_keys.length
    await print(`${withoutMissing ? 'Left out' : 'In the way'}: ${missingText(plan)}
${missing_keys.map((key) => `  ${printable(key)}\n`).join('')}${more > 0 ? `  and ${more.toLocaleString('en')} more\n` : ''}`)
  }
  for (const { code, detail } of problems) await print(`${code.padEnd(13)}  ${printable(detail)}\n`)
}

/** Follows the scan that takes a bucket over, and says how that ended; with no `wait` prints its id. */
async function conclude(run: Run, started: Scan, { wait, asked }: { wait: boolean; asked?: TakeOver }): Promise<void> {
  const { client, json } = run
  if (!wait) return print(`${json ? JSON.stringify({ ...asked, scan: started }) : started.id}\n`)
  const scan = await followScan(run, started)
  const bucket = await client.getBucket({ params: { bucket: scan.bucket } })
  if (json) await print(`${JSON.stringify({ ...asked, scan, bucket })}\n`)
  refuseHeld(scan)
  if (json) return
  const { name, source, storage, object_count } = bucket
  const stay = `${objectsText(object_count ?? 0)} stay${object_count === 1 ? 's' : ''}`
  const where = source === null ? 'the engine' : showSource(source)
  await print(
    `The bucket ${name} is taken over: its ${stay} at ${where}, and new bytes go to the storage ${storage}.\n`,
  )
}
