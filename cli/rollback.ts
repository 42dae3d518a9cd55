import type { Client, Job } from '../client/index.ts'
import { UsageError } from './config.ts'
import { followJob, printJob } from './follow-job.ts'
import { prefixedPlace, show } from './places.ts'
import { agrees, bytesText, objectsText, print, type Run } from './run.ts'

type ChangedBy = NonNullable<Parameters<Client['createJob']>[0]['body']['by']>
interface Wanted {
  to: string
  /** Instead of a folder in the path. */
  prefix: string | undefined
  keepNew: boolean
  by: string | undefined
  dryRun: boolean
  yes: boolean
  wait: boolean
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** `rollback`: says what would be done, asks, has a bucket or a folder made what it was, and follows that to its end. */
export async function rollback(run: Run, target: string, wanted: Wanted): Promise<void> {
  const { bucket, prefix } = prefixedPlace(target)
  if (prefix !== '' && wanted.prefix !== undefined) throw new UsageError('Give the folder in the path or as --prefix.')
  const by = wanted.by === undefined ? undefined : await authorOf(run, wanted.by)
  const body = {
    kind: 'rollback',
    source_bucket: bucket,
    prefix: wanted.prefix ?? prefix,
    to: wanted.to,
    keep_new: wanted.keepNew,
    ...(by && { by }),
  } as const
  const planned = await run.client.createJob({ body: { ...body, dry_run: true } })
  const plan = succeeded(await followJob(run, planned, bucket))
  await print(run.json ? `${JSON.stringify(plan)}\n` : planText(plan))
  assertRoom(plan)
  if (wanted.dryRun) return
  if (changesOf(plan) === 0) return
  const place = show(bucket, body.prefix)
  if (!(await agrees(`Make ${place} what it was at ${plan.to}?`, wanted.yes))) throw new Error('Nothing was changed.')
  // To the moment that the plan is of, whatever was typed.
  const started = await run.client.createJob({ body: { ...body, to: plan.to ?? wanted.to } })
  if (!wanted.wait) return print(`${run.json ? JSON.stringify(started) : started.id}\n`)
  run.progress.failures.length = 0
  const job = succeeded(await followJob(run, started, bucket))
  await printJob(run, job)
}

function succeeded(job: Job): Job {
  if (job.status === 'failed') throw new Error(job.detail ?? 'The job failed.')
  if (job.status === 'cancelled')
    throw new Error('The job was cancelled. What was done stays; the same command does the rest.')
  return job
}

const changesOf = ({ plan }: Job): number =>
  plan ? plan.restored.objects + plan.replaced.objects + plan.deleted.objects : 0

function planText({ plan }: Job): string {
  if (!plan) return ''
  const { restored, replaced, deleted, erased, by_others, refused } = plan
  const stays = [
    [erased, 'cannot come back, since their contents were erased'],
    [by_others, 'stay, since others have changed them as well'],
    [refused, 'stay, since they are locked or you may not change them'],
  ] as const
  const lines = [
    `come back: ${objectsText(restored.objects)}, ${bytesText(restored.bytes)}`,
    `change back: ${objectsText(replaced.objects)}, ${bytesText(replaced.bytes_before)} to ${bytesText(replaced.bytes_after)}`,
    `are deleted: ${objectsText(deleted.objects)}, ${bytesText(deleted.bytes)}`,
    ...stays.filter(([objects]) => objects > 0).map(([objects, what]) => `${what}: ${objectsText(objects)}`),
  ]
  return `${lines.join('\n')}\n`
}

function assertRoom({ plan }: Job): void {
  const { growth_bytes = 0, room_bytes = null } = plan ?? {}
  if (room_bytes !== null && growth_bytes > Math.max(0, room_bytes))
    throw new Error(
      `The bucket would grow by ${bytesText(growth_bytes)}, and its quota leaves ${bytesText(Math.max(0, room_bytes))}.`,
    )
}

/** Whose changes are meant: `user:` an email address, `access-key:` its access key id, `token:`, `share:` or `agent:`; or any of their ids. */
async function authorOf({ client }: Run, text: string): Promise<ChangedBy> {
  const [kind, name = ''] = text.split(/:(.*)/s)
  if (kind === 'user') return { user: ID.test(name) ? name : await userNamed(client, name) }
  if (kind === 'access-key') return { access_key: ID.test(name) ? name : await accessKeyNamed(client, name) }
  if ((kind === 'token' || kind === 'share' || kind === 'agent') && ID.test(name)) return { [kind]: name }
  throw new UsageError('--by must be user:EMAIL, access-key:ID, token:ID, share:ID or agent:ID.')
}

async function userNamed(client: Client, email: string): Promise<string> {
  const me = await client.me()
  if (me.email === email) return me.id
  for await (const user of client.all.listUsers({ query: { q: email } })) if (user.email === email) return user.id
  throw new Error(`There is no user "${email}".`)
}

async function accessKeyNamed(client: Client, accessKeyId: string): Promise<string> {
  for await (const key of client.all.listAccessKeys()) if (key.access_key_id === accessKeyId) return key.id
  throw new Error(`"${accessKeyId}" is not one of your access keys. Give the id that "changes" and the audit log show.`)
}
