import type { Scan } from '../client/index.ts'
import { UsageError } from './config.ts'
import { follow } from './follow.ts'
import { bucketName, printable, SCHEME } from './places.ts'
import { agrees, objectsText, print, type Run } from './run.ts'

export const SCAN_USAGE = 'scan [--no-wait] [--json] [list | absences | confirm [--yes]] <bucket>'

interface ScanOptions {
  yes: boolean
  wait: boolean
}

/** `scan`: starts a scan of an attached bucket, or with a word does something with its scans. */
export async function scan(run: Run, words: readonly string[], { yes, wait }: ScanOptions): Promise<void> {
  const [first = '', second] = words
  const what = second === undefined ? 'start' : first
  if (yes && what !== 'confirm') throw new UsageError('--yes is for "scan confirm".')
  if (!wait && what !== 'start' && what !== 'confirm') throw new UsageError(`--no-wait is not for "scan ${what}".`)
  if (what === 'start') return startScan(run, bucketName(first), wait)
  if (what === 'list') return listScans(run, bucketName(second as string))
  if (what === 'absences') return listAbsences(run, second as string)
  if (what === 'confirm') return confirmScan(run, second as string, { yes, wait })
  throw new UsageError(`usage: strongroom ${SCAN_USAGE}`)
}

async function startScan(run: Run, bucket: string, wait: boolean): Promise<void> {
  const started = await run.client.startScan({ params: { bucket } })
  return conclude(run, started, wait)
}

/** Follows a scan and prints how it ended, or with no `wait` prints its id. */
async function conclude(run: Run, started: Scan, wait: boolean): Promise<void> {
  if (!wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  const ended = await followScan(run, started)
  if (run.json) await print(`${JSON.stringify(ended)}\n`)
  else {
    await printScan(run, ended)
    await notifyOfFindings(run, ended)
  }
  refuseHeld(ended)
}

/** Says where to look if others changed something in a bucket that was taken over. */
async function notifyOfFindings({ client, progress }: Run, { bucket, added, changed, missing }: Scan): Promise<void> {
  if (added + changed + missing === 0) return
  const { mode } = await client.getBucket({ params: { bucket } })
  if (mode === 'taken_over') progress.note(`others did that: to see where, run "strongroom findings ${bucket}"`)
}

/** Waits for a scan's end, and leaves it running when interrupted. */
export function followScan(run: Run, started: Scan): Promise<Scan> {
  const { client } = run
  return follow(run, started, {
    isOpen: isOpenScan,
    refresh: () => client.getScan({ params: { scan: started.id } }),
    line: lineOf,
    left: `the scan continues: to follow it, run "strongroom ${commandFor(started)} ${started.bucket}"`,
  })
}

export const isOpenScan = ({ status }: Scan): boolean => status === 'queued' || status === 'running'

function lineOf({ phase, position, seen, missing, removed }: Scan): string {
  if (phase === 'listing') return `${objectsText(seen)} seen`
  if (phase === 'marking') return `checking what the list lacks: ${missing} missing, ${removed} removed`
  return `asking for each object${position === null ? '' : `, up to ${printable(position)}`}`
}

/** The command that starts such a scan. */
const commandFor = ({ trigger }: Scan): string => (trigger === 'take_over' ? 'take-over' : 'scan')

/** Prints what a scan has found; what it could not show is listed on standard error. */
export async function printScan({ progress }: Run, ended: Scan): Promise<void> {
  const { refused, refused_keys } = ended
  for (const { key, reason } of refused_keys.slice(0, SHOWN)) progress.note(`${key} cannot be shown: ${reason}`)
  if (refused > SHOWN) progress.note(`${refused - SHOWN} more cannot be shown`)
  await print(`${countsOf(ended)}\n`)
}
const SHOWN = 10

/** How many objects a scan has seen, and what it found out about them. */
function countsOf(scan: Scan): string {
  // What was absent has been dealt with by one that succeeded.
  const absent = scan.status === 'held' || scan.status === 'superseded' ? (['absent'] as const) : []
  const counts = (['added', 'changed', ...absent, 'missing', 'removed', 'refused'] as const)
    .filter((what) => scan[what] > 0)
    .map((what) => `${scan[what]} ${what}`)
  return [objectsText(scan.seen), ...counts].join(', ')
}

/** Throws if a scan did not succeed, with what to do about it. */
export function refuseHeld(scan: Scan): void {
  const { status, held_reason, detail, bucket, trigger } = scan
  if (status === 'superseded') throw new Error(`A later scan has ended since: see "strongroom scan list ${bucket}".`)
  if (status !== 'held') return
  const outcome =
    trigger === 'take_over'
      ? `The bucket ${bucket} stays read-only.`
      : 'The scan is held, and nothing was marked as missing.'
  const advice =
    held_reason === 'many_missing' || held_reason === 'empty'
      ? `To see what it would mark as missing, run "strongroom scan absences ${bucket}"; if they are gone, run "strongroom scan confirm ${bucket}".`
      : `When that ${held_reason === 'changed' ? 'is over' : 'is repaired'}, run "strongroom ${commandFor(scan)} ${bucket}".`
  throw new Error(`${outcome} ${printable(detail ?? '')}\n${advice}`)
}

async function listScans({ client, json }: Run, bucket: string): Promise<void> {
  for await (const one of client.all.listScans({ params: { bucket } })) {
    const { id, created_at, trigger, status, held_reason } = one
    const state = held_reason === null ? status : `${status} (${held_reason})`
    const columns = `${trigger.padEnd(8)}  ${state}`.padEnd(33)
    const line = [id, `${created_at.slice(0, 19)}Z`, columns, countsOf(one)]
    await print(`${json ? JSON.stringify(one) : line.join('  ')}\n`)
  }
}

async function listAbsences(run: Run, target: string): Promise<void> {
  const { id } = await findHeld(run, target)
  for await (const absence of run.client.all.listAbsences({ params: { scan: id } })) {
    const { key, size, last_modified } = absence
    const line = `${String(size).padStart(15)}  ${last_modified.slice(0, 19)}Z ${printable(key)}`
    await print(`${run.json ? JSON.stringify(absence) : line}\n`)
  }
}

async function confirmScan(run: Run, target: string, { yes, wait }: ScanOptions): Promise<void> {
  const { id, absent, bucket, detail } = await findHeld(run, target)
  const question = `${printable(detail ?? '')}\nMark ${objectsText(absent)} of ${bucket} as missing?`
  if (!(await agrees(question, yes))) throw new Error('Nothing was marked.')
  return conclude(run, await run.client.confirmScan({ params: { scan: id } }), wait)
}

const SCAN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The scan with this id, or the latest one of a bucket; throws unless it is held. A bucket with such a name is written with the scheme. */
async function findHeld({ client }: Run, target: string): Promise<Scan> {
  if (SCAN_ID.test(target)) {
    const scan = await client.getScan({ params: { scan: target } })
    if (scan.status === 'held') return scan
    throw new Error(`The scan ${target} is not held: it is ${scan.status}.`)
  }
  const bucket = bucketName(target)
  const [latest] = (await client.listScans({ params: { bucket }, query: { limit: 1 } })).items
  if (latest?.status === 'held') return latest
  throw new Error(`The latest scan of ${SCHEME}${bucket} is not held.`)
}
