import type { Replication } from '../client/index.ts'
import { UsageError } from './config.ts'
import { bucketName, printable } from './places.ts'
import { agrees, bytesText, objectsText, print, type Run } from './run.ts'
import { storageName } from './storages.ts'

export const REPLICATION_USAGE =
  'replication [--json] set <bucket> <storage> | status|failures|verify|pause|resume|rm <bucket>'
const usage = () => new UsageError(`usage: strongroom ${REPLICATION_USAGE}`)

interface ReplicationOptions {
  /** Under which prefix of the engine's bucket. */
  prefix: string | undefined
  encrypted: string | undefined
  /** Prefixes of keys; none: all. */
  only: readonly string[]
  /** `name=value`, all of which an object must have. */
  tags: readonly string[]
  deletes: boolean
  newOnly: boolean
  yes: boolean
}

/** `replication`: sets up, shows, verifies, pauses or ends the replica of a bucket. Resolves to the exit code of `verify`. */
export async function replication(
  run: Run,
  [what = '', target = '', storage]: readonly string[],
  options: ReplicationOptions,
): Promise<number> {
  if (target === '' || (what === 'set') !== (storage !== undefined)) throw usage()
  const params = { bucket: bucketName(target) }
  const { client } = run
  switch (what) {
    case 'set': {
      const body = { storage: storageName(storage ?? ''), ...settingsOf(options) }
      await show(run, params.bucket, await client.setReplication({ params, body }))
      return 0
    }
    case 'status':
      await show(run, params.bucket, await client.getReplication({ params }))
      return 0
    case 'pause':
      await show(run, params.bucket, await client.pauseReplication({ params }))
      return 0
    case 'resume':
      await show(run, params.bucket, await client.resumeReplication({ params }))
      return 0
    case 'failures':
      for await (const failure of client.all.listReplicationFailures({ params })) {
        const { key, version_id, reason } = failure
        const version = version_id === null ? '' : ` (version ${version_id})`
        await print(`${run.json ? JSON.stringify(failure) : `${printable(key)}${version}: ${printable(reason)}`}\n`)
      }
      return 0
    case 'verify':
      return verify(run, params.bucket)
    case 'rm':
      if (!(await agrees(`End the replication of ${params.bucket}? What is there stays.`, options.yes)))
        throw new Error('Nothing was changed.')
      await client.deleteReplication({ params })
      return 0
    default:
      throw usage()
  }
}

function settingsOf({ prefix, encrypted, only, tags, deletes, newOnly }: ReplicationOptions) {
  if (encrypted !== undefined && !isEncrypted(encrypted))
    throw new UsageError('--encrypted must be refuse, plain or engine.')
  const pairs = tags.map((tag): [string, string] => {
    const at = tag.indexOf('=')
    if (at < 1) throw new UsageError('--tag must be name=value.')
    return [tag.slice(0, at), tag.slice(at + 1)]
  })
  const rule = { deletes, ...(pairs.length > 0 && { tags: Object.fromEntries(pairs) }) }
  const rules = only.length === 0 ? [rule] : only.map((one) => ({ ...rule, prefix: one }))
  return {
    rules,
    existing: !newOnly,
    ...(prefix !== undefined && { prefix }),
    ...(encrypted !== undefined && { encrypted }),
  }
}

const isEncrypted = (text: string): text is Replication['encrypted'] => ['refuse', 'plain', 'engine'].includes(text)

/** How a replica is, in a few lines. */
async function show({ json }: Run, bucket: string, state: Replication): Promise<void> {
  if (json) return print(`${JSON.stringify(state)}\n`)
  const { storage, prefix, paused, filled, lag_seconds, backlog, failed, error } = state
  const lines = [
    `${bucket} → ${storage}${prefix === '' ? '' : `, under ${prefix}`}${paused ? ' (paused)' : ''}`,
    `waiting: ${objectsText(backlog.objects)} (${bytesText(backlog.bytes)}), for ${Math.round(lag_seconds)} s${filled ? '' : ', and what was there before'}`,
    `failed: ${failed}${failed === 0 ? '' : `; "strongroom replication failures ${bucket}" says why`}`,
    ...(error === null ? [] : [`cannot be written now: ${error}`]),
  ]
  return print(`${lines.map(printable).join('\n')}\n`)
}

/** Names every difference between a bucket and its replica. Resolves to 1 if there is one. */
async function verify({ client, json, progress }: Run, bucket: string): Promise<number> {
  let [checked, waiting, differences] = [0, 0, 0]
  progress.line = () => `${checked} compared, ${differences} differ`
  progress.start()
  for (let cursor: string | undefined; ; ) {
    const body = cursor === undefined ? {} : { cursor }
    const page = await client.verifyReplication({ params: { bucket }, body })
    checked += page.checked
    waiting += page.waiting
    differences += page.differences.length
    for (const difference of page.differences) {
      const { key, kind, detail } = difference
      await print(
        `${json ? JSON.stringify(difference) : `${kind.padEnd(10)}  ${printable(key)}  ${printable(detail)}`}\n`,
      )
    }
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  progress.end()
  progress.note(`${objectsText(checked)} compared, ${differences} differ, ${waiting} waiting or failed`)
  return differences === 0 ? 0 : 1
}
