import type { Inventory, InventoryRun } from '../client/index.ts'
import { UsageError } from './config.ts'
import { follow } from './follow.ts'
import { bucketName, printable, remotePlace, SCHEME } from './places.ts'
import { bytesText, print, type Run } from './run.ts'

export const INVENTORY_USAGE =
  'inventory [--json] ls [bucket] | create|set|run|runs|cancel|rm <bucket or all> <name> [--to sr:bucket/prefix …]'
const usage = () => new UsageError(`usage: strongroom ${INVENTORY_USAGE}`)

/** Stands for all buckets. */
const ALL = 'all'

interface InventoryOptions {
  to: string | undefined
  prefix: string | undefined
  format: string | undefined
  schedule: string | undefined
  hour: string | undefined
  columns: string | undefined
  versions: boolean
  noChanges: boolean
  wait: boolean
}

/** `inventory`: sets up, lists, writes or deletes tables of what is in a bucket. */
export async function inventories(
  run: Run,
  [what = '', target, name]: readonly string[],
  options: InventoryOptions,
): Promise<void> {
  const { client } = run
  if (what === 'ls' && name === undefined) {
    const query = target === undefined ? {} : { bucket: bucketName(target) }
    for await (const one of client.all.listInventories({ query })) await show(run, one)
    return
  }
  if (target === undefined || name === undefined) throw usage()
  const bucket = target === ALL ? null : bucketName(target)
  if (what === 'create') {
    if (options.to === undefined) throw new UsageError('Say where it is written to: --to sr:bucket/prefix')
    const body = { name, bucket, destination: destinationOf(options.to), ...settingsOf(options) }
    return show(run, await client.createInventory({ body }))
  }
  const { id } = await find(run, bucket, name)
  const params = { id }
  switch (what) {
    case 'set': {
      const destination = options.to === undefined ? {} : { destination: destinationOf(options.to) }
      return show(run, await client.updateInventory({ params, body: { ...destination, ...settingsOf(options) } }))
    }
    case 'run':
      return followRun(run, await client.runInventory({ params }), options.wait)
    case 'runs':
      for await (const one of client.all.listInventoryRuns({ params })) await showRun(run, one)
      return
    case 'cancel': {
      const { last_run } = await client.getInventory({ params })
      if (!last_run || isOver(last_run)) throw new Error('It is not being written.')
      return showRun(run, await client.cancelInventoryRun({ params: { id, run_id: last_run.id } }))
    }
    case 'rm':
      await client.deleteInventory({ params })
      return
    default:
      throw usage()
  }
}

async function find({ client }: Run, bucket: string | null, name: string): Promise<Inventory> {
  const query = bucket === null ? {} : { bucket }
  for await (const one of client.all.listInventories({ query }))
    if (one.bucket === bucket && one.name === name) return one
  throw new Error(`There is no inventory "${printable(name)}" of ${bucket ?? 'all buckets'}.`)
}

function destinationOf(text: string): { bucket: string; prefix: string } {
  const { bucket, key } = remotePlace(text)
  return { bucket, prefix: key }
}

const oneOf = <T extends string>(option: string, value: string, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new UsageError(`${option} must be ${allowed.join(' or ')}.`)
  return found
}

/** What is said of the settings. */
function settingsOf({ prefix, format, schedule, hour, columns, versions, noChanges }: InventoryOptions) {
  if (hour !== undefined && !/^(\d|1\d|2[0-3])$/.test(hour)) throw new UsageError('--hour must be 0 to 23.')
  const chosen = columns?.split(',') as Inventory['columns'] | undefined
  return {
    ...(prefix !== undefined && { prefix }),
    ...(format !== undefined && { format: oneOf('--format', format, ['parquet', 'csv']) }),
    ...(schedule !== undefined && {
      schedule: schedule === 'none' ? null : oneOf('--schedule', schedule, ['daily', 'weekly']),
    }),
    ...(hour !== undefined && { hour: Number(hour) }),
    ...(chosen && { columns: chosen }),
    ...(versions && { versions: 'all' as const }),
    ...(noChanges && { changes: false }),
  }
}

const isOver = ({ finished_at }: InventoryRun): boolean => finished_at !== null
const lineOf = ({ rows, bytes, status }: InventoryRun): string => `${status}: ${rows} rows, ${bytesText(bytes)}`

async function followRun(run: Run, started: InventoryRun, wait: boolean): Promise<void> {
  if (!wait) return showRun(run, started)
  const params = { id: started.inventory_id, run_id: started.id }
  const ended = await follow(run, started, {
    isOpen: (state) => !isOver(state),
    refresh: () => run.client.getInventoryRun({ params }),
    line: lineOf,
    left: 'it is written all the same: "strongroom inventory runs" says how far it is',
  })
  await showRun(run, ended)
  if (ended.status !== 'succeeded') throw new Error(ended.reason ?? 'It was not written.')
}

function showRun({ json }: Run, one: InventoryRun): Promise<void> {
  if (json) return print(`${JSON.stringify(one)}\n`)
  const { created_at, moment, manifest, reason } = one
  const rest = [lineOf(one), manifest ?? reason ?? '']
  return print(`${printable([moment ?? created_at, ...rest].join('  ').trimEnd())}\n`)
}

function show({ json }: Run, one: Inventory): Promise<void> {
  if (json) return print(`${JSON.stringify(one)}\n`)
  const { bucket, name, prefix, format, destination, schedule, hour, enabled, last_run } = one
  const time = schedule === null || !enabled ? 'when asked' : `${schedule} at ${String(hour).padStart(2, '0')}:00 UTC`
  const words = [
    `${bucket ?? ALL}${prefix === '' ? '' : `/${prefix}`}`,
    name,
    `${format} to ${SCHEME}${destination.bucket}/${destination.prefix}`,
    time,
    last_run ? `last: ${lineOf(last_run)}` : 'never written',
  ]
  return print(`${printable(words.join('  '))}\n`)
}
