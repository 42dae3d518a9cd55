import type { Client } from '../client/index.ts'
import { UsageError } from './config.ts'
import { prefixedPlace, show } from './places.ts'
import { type PlannedRun, replacedLine, runPlanned, stayLines, sumLine } from './planned-job.ts'
import type { Run } from './run.ts'

type ChangedBy = NonNullable<Parameters<Client['createJob']>[0]['body']['by']>
interface Wanted extends PlannedRun {
  to: string
  /** Instead of a folder in the path. */
  prefix: string | undefined
  keepNew: boolean
  by: string | undefined
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
  const place = show(bucket, body.prefix)
  await runPlanned(
    run,
    {
      bucket,
      body,
      lines({ plan }) {
        if (!plan) return []
        return [
          sumLine('come back', plan.restored),
          replacedLine('change back', plan.replaced),
          sumLine('are deleted', plan.deleted),
          ...(plan.links > 0 ? [`are revoked: ${plan.links} share ${plan.links === 1 ? 'link' : 'links'}`] : []),
          ...stayLines([
            [plan.erased, 'cannot come back, since their contents were erased'],
            [plan.by_others, 'stay, since others have changed them as well'],
            [plan.refused, 'stay, since they are locked or you may not change them'],
          ]),
        ]
      },
      sums({ plan }) {
        const changes = plan ? plan.restored.objects + plan.replaced.objects + plan.deleted.objects + plan.links : 0
        return { changes, growth_bytes: plan?.growth_bytes ?? 0, room_bytes: plan?.room_bytes ?? null }
      },
      question: ({ to }) => `Make ${place} what it was at ${to}?`,
      // To the moment that the plan is of, whatever was typed.
      asPlanned: ({ to }) => ({ ...body, to: to ?? wanted.to }),
    },
    wanted,
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
