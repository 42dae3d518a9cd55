// Whether a job is about to do what a dry run has planned: the same to the same objects, as they were.
import { createHash } from 'node:crypto'
import { ServiceError } from '../../../contract/errors.ts'
import { invalid } from '../../base/invalid.ts'
import type { Ctx, Upkeep } from '../../context.ts'
import type { CreateJob } from './request.ts'
import * as store from './store.ts'
import { own } from './visible.ts'

/** A plan as it is stored: with a digest of all that its numbers are of. */
type Stored = { digest: string; link_digest?: string } & { [name: string]: unknown }

const parse = (plan: string | null): Partial<Stored> => (plan === null ? {} : (JSON.parse(plan) as Stored))

/** A plan without what only the service needs of it. */
export const shownPlan = (text: string | null) => {
  if (text === null) return null
  const { digest: _, link_digest: __, ...plan } = parse(text)
  return plan as never
}

/** A plan with what one step of its list adds to its digest. */
export const withDigest = <P extends object>(
  before: string | null,
  plan: P,
  listed: unknown,
): P & { digest: string } => ({
  ...plan,
  digest: createHash('sha256')
    .update(`${parse(before).digest ?? ''}${JSON.stringify(listed)}`)
    .digest('hex'),
})

/**
 * Throws unless what a request names is a finished dry run of the same: not_found, and conflict; also where other links
 * would be revoked (`start` is what the plan starts with), since that cannot wait until the job has its list.
 */
export async function assertPlanned(
  ctx: Ctx,
  { kind, planned, dry_run = false }: CreateJob,
  start: string | null,
): Promise<void> {
  if (planned === undefined) return
  if (dry_run) throw invalid('body.planned', 'cannot be combined with dry_run')
  const dry = await own(ctx, planned)
  const isDry = dry.kind === kind && (JSON.parse(dry.request) as CreateJob).dry_run === true
  if (!isDry || dry.status !== 'succeeded')
    throw new ServiceError('conflict', `body.planned must be a dry run of a ${kind} that has succeeded`, {
      faults: [{ path: 'body.planned', message: `must be a dry run of a ${kind} that has succeeded` }],
    })
  const [before, now] = [parse(dry.plan), parse(start)]
  if (before.link_digest !== now.link_digest)
    throw changedSince(
      before.links === now.links
        ? 'as many links are to be revoked, but others'
        : `links was ${before.links ?? 0} and is ${now.links ?? 0}`,
    )
}

/** Step: throws conflict where the whole plan of a job is not that of the dry run, and says in what it differs. */
export async function assertAsPlanned({ tx }: Upkeep, planned: string, plan: object): Promise<void> {
  const before = parse((await store.findJob(tx, planned))?.plan ?? null)
  const now = parse(JSON.stringify(plan))
  if (before.digest === now.digest) return
  const differences = Object.keys(now).flatMap((name) => {
    const [was, is] = [JSON.stringify(before[name]), JSON.stringify(now[name])]
    return UNTOLD.has(name) || was === is ? [] : [`${name} was ${textOf(was)} and is ${textOf(is)}`]
  })
  const what = differences.length > 0 ? differences.join('; ') : 'the numbers are the same, but of other objects'
  throw changedSince(what)
}

/** What there is room for may be another number without anything else being another one. */
const UNTOLD: ReadonlySet<string> = new Set(['digest', 'link_digest', 'room_bytes'])

const changedSince = (what: string) =>
  new ServiceError('conflict', `What is to be done has changed since the dry run: ${what}. Nothing was changed.`)

const textOf = (json: string | undefined): string =>
  (json ?? 'unknown').replaceAll(/["{}]/g, '').replaceAll(/[:,]/g, '$& ')
