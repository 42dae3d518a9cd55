// What a person has to agree to before an agent may do it: asked for when the agent tries, and made when it tries again.
import { createHash } from 'node:crypto'
import type { Action } from '../../../../contract/actions.ts'
import type { AgentUse, ApprovableAction, ApprovalReason } from '../../../../contract/agents.ts'
import { ServiceError } from '../../../../contract/errors.ts'
import { newId } from '../../../base/id.ts'
import { DAY_MS } from '../../../base/time.ts'
import { type Ctx, RefusalWithTrace, type Upkeep } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import type { ActingAgent } from '../../../iam/acting-agent.ts'
import { enqueueMail } from '../../mail/enqueue.ts'
import { approvalAsked } from '../../mail/messages.ts'
import { holdAgent } from '../acting.ts'
import { NOTHING } from '../budget.ts'
import * as store from './store.ts'

/** How long a request waits for a decision. */
const WAITS_MS = 7 * DAY_MS
/** Most requests of one agent that wait at a time. */
const MOST_WAITING = 100
/** How many of its actions a request shows. */
const SHOWN = 100
/** Keys whose state one statement asks for. */
const AT_ONCE = 500

type Place = readonly [bucket: string, key: string]

/** What somebody is asked to agree to. */
interface Request {
  reason: ApprovalReason
  fingerprint: string
  places: readonly Place[]
  shown: readonly Shown[]
  objects: number
  bytes: number
}
interface Shown {
  action: string
  bucket: string | null
  key: string | null
  size: number | null
  details: { [name: string]: unknown }
}

/** An approved request whose objects are still what they were when it was asked for. */
export type ApprovedRequest = Pick<store.ApprovalRow, 'id' | 'fingerprint'>

/**
 * Step: what the agent may make, before it has changed anything in this transaction. Nobody else changes these objects until it
 * ends; one that is made under a free key meanwhile is replaced then, which was not approved.
 */
export async function approvedRequests({ tx, now }: Upkeep, { id }: ActingAgent): Promise<ApprovedRequest[]> {
  const fresh: ApprovedRequest[] = []
  for (const row of await store.lockApproved(tx, id, now())) {
    const places = JSON.parse(row.places) as Place[]
    if ((await stateOf(tx, places, store.lockStates)) === row.state) fresh.push(row)
  }
  return fresh
}

/** Which rule of an agent asks for approval; undefined if none does. */
function reasonOf({ approval }: ActingAgent, kinds: ReadonlySet<ApprovableAction>, cost: AgentUse) {
  const { actions, above_objects, above_bytes } = approval
  const named = actions.find((one) => kinds.has(one))
  if (named) return named
  if (above_objects !== null && cost.change_objects + cost.delete_objects > above_objects) return 'above_objects'
  return above_bytes !== null && cost.change_bytes + cost.delete_bytes > above_bytes ? 'above_bytes' : undefined
}

const KINDS: { [name in Action['name']]?: readonly ApprovableAction[] } = {
  upload: ['write'],
  copy: ['write'],
  restore: ['write'],
  update_object: ['write'],
  move: ['write', 'delete'],
  delete: ['delete'],
  version_delete: ['delete'],
  share_create: ['share'],
  share_update: ['share'],
  share_link_read: ['share'],
}

/** Step: throws unless what was done needs no approval, or has one that was not used yet. */
export async function assertApproved(
  step: Upkeep,
  agent: ActingAgent,
  { actions, cost, approved }: { actions: readonly Action[]; cost: AgentUse; approved: readonly ApprovedRequest[] },
): Promise<void> {
  const kinds = new Set(actions.flatMap(({ name }) => KINDS[name] ?? []))
  const reason = reasonOf(agent, kinds, cost)
  if (!reason) return
  const seen = actions.map(shown)
  const places = actions.flatMap(placesOf)
  await use(step, agent, approved, {
    reason,
    // What it made counts as well: no record has the metadata of an upload, or the password of a link.
    fingerprint: hash([
      seen,
      actions.map(({ binds }) => binds?.hidden),
      await stateOf(step.tx, places, store.findContents),
    ]),
    places,
    shown: seen.slice(0, SHOWN),
    objects: cost.change_objects + cost.delete_objects,
    bytes: cost.change_bytes + cost.delete_bytes,
  })
}

/** What jobs of a kind do; any can be about more objects than a rule allows. */
const OF_JOB: { [kind: string]: readonly ApprovableAction[] } = {
  copy: ['write'],
  delete: ['delete'],
  tag: ['write'],
}

/** A job as it is asked for. */
interface JobRequest {
  kind: string
  source_bucket: string
  prefix?: string | undefined
  dry_run?: boolean | undefined
  asked_at?: string | undefined
  /** Which buckets it names. */
  source_id?: string | undefined
  dest_id?: string | undefined
}
/** What a job would touch now. */
export interface JobPlan {
  /** Differs once that is anything else. */
  state: string
  objects: number
  bytes: number
  /** The first of its keys. */
  first: readonly { bucket: string; key: string; size: number }[]
}

/** Which rule of an agent asks for approval of a job, of any number of objects; undefined if none does. */
function reasonOfJob(agent: ActingAgent, { kind }: JobRequest): ApprovalReason | undefined {
  const kinds = new Set<ApprovableAction>(OF_JOB[kind] ?? ['write', 'delete'])
  const many = Number.MAX_SAFE_INTEGER
  return reasonOf(agent, kinds, { ...NOTHING, change_objects: many, change_bytes: many })
}

/** Whether an agent needs approval of a job. */
export const needsJobApproval = ({ actor: { agent } }: Pick<Upkeep, 'actor'>, request: JobRequest): boolean =>
  agent !== undefined && request.dry_run !== true && reasonOfJob(agent, request) !== undefined

/**
 * Step: the same for a job that is to be queued: its steps ask for nothing more, and touch nothing but what `plan` has. Without one
 * a job that needs approval is refused.
 */
export async function assertJobApproved(step: Upkeep, request: JobRequest, plan: JobPlan | undefined): Promise<void> {
  if (!step.actor.agent || request.dry_run === true) return
  const approved = await approvedRequests(step, step.actor.agent)
  const { agent } = await holdAgent(step, step.actor.agent)
  const reason = reasonOfJob(agent, request)
  if (!reason) return
  if (!plan) throw new ServiceError('conflict', 'What the agent needs approval for has just changed. Ask again.')
  const { kind, source_bucket, prefix = '', asked_at: _, ...rest } = request
  const { state, first, objects, bytes } = plan
  const job = { action: 'job', bucket: source_bucket, key: prefix, size: null, details: { kind, ...shortened(rest) } }
  await use(step, agent, approved, {
    reason,
    fingerprint: hash({ job: { kind, source_bucket, prefix, ...rest }, state }),
    places: [],
    shown: [job, ...first.slice(0, SHOWN - 1).map((one) => ({ action: kind, ...one, details: {} }))],
    objects,
    bytes,
  })
}

async function use(
  { tx, now }: Upkeep,
  agent: ActingAgent,
  approved: readonly ApprovedRequest[],
  request: Request,
): Promise<void> {
  const ticket = approved.find(({ fingerprint }) => fingerprint === request.fingerprint)
  if (!ticket) throw new ApprovalNeeded(agent, request)
  await store.updateApproval(tx, ticket.id, { status: 'done', done_at: now().toISOString() })
}

/** Long lists are shown by their first entries. */
const shortened = (details: object): Shown['details'] =>
  Object.fromEntries(
    Object.entries(details).map(([field, value]) => [field, Array.isArray(value) ? value.slice(0, SHOWN) : value]),
  )

/** What differs each time that the same is done. */
const NEW_EACH_TIME = new Set(['marker', 'bulk_id', 'expires_at', 'replaced_trash_id'])
/** Ids that these actions make; for all others a request names them. */
const MAKE_IDS = new Set<Action['name']>(['upload', 'copy', 'move', 'delete', 'update_object', 'share_create'])
const IDS = new Set(['trash_id', 'version_id', 'share_id'])

function shown({ name, bucket, key, details, binds }: Action): Shown {
  const isNew = (field: string) => NEW_EACH_TIME.has(field) || (IDS.has(field) && MAKE_IDS.has(name))
  // `binds` has what stays the same of these: how long a link lasts, and not until when.
  const lasting = (of: object) => Object.fromEntries(Object.entries(of).filter(([field]) => !isNew(field)))
  const after = name === 'share_update' ? { after: lasting(details.after) } : {}
  const size = 'size' in details && typeof details.size === 'number' ? details.size : null
  const said = { ...lasting(details), ...after, ...binds?.shown }
  return { action: name, bucket: bucket ?? null, key: key ?? null, size, details: said }
}

function placesOf({ bucket, key, details }: Action): Place[] {
  const own: Place[] = bucket !== undefined && key !== undefined ? [[bucket, key]] : []
  return 'source' in details ? [...own, [details.source.bucket, details.source.key]] : own
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** What the objects at these places are, as a hash of what `find` says of them; those that are not there count as well. */
async function stateOf(db: Db, places: readonly Place[], find: typeof store.findStates): Promise<string> {
  const byBucket = new Map<string, string[]>()
  for (const [bucket, key] of places) {
    const keys = byBucket.get(bucket)
    if (keys) keys.push(key)
    else byBucket.set(bucket, [key])
  }
  const found: string[] = []
  for (const [bucket, keys] of [...byBucket].sort())
    for (let from = 0; from < keys.length; from += AT_ONCE)
      for (const row of await find(db, bucket, keys.toSorted().slice(from, from + AT_ONCE)))
        found.push(JSON.stringify([bucket, row]))
  return hash(found.sort())
}

/** A request that a person has to agree to, which is noted once all that it did was rolled back. */
class ApprovalNeeded extends RefusalWithTrace {
  readonly #agent: ActingAgent
  readonly #request: Request
  constructor(agent: ActingAgent, request: Request) {
    super('A user has to approve this')
    this.#agent = agent
    this.#request = request
  }

  leave(ctx: Pick<Ctx, 'act' | 'db' | 'now'>): Promise<Error> {
    const agent = this.#agent
    const { reason, fingerprint, places, shown: actions, objects, bytes } = this.#request
    return ctx.act(async (step) => {
      const { tx, record } = step
      const now = step.now()
      const asked = await store.findAsked(tx, agent.id, fingerprint, now)
      const state = await stateOf(tx, places, store.findStates)
      if (asked?.status === 'rejected') return step.nothing(rejected(asked.id))
      if (asked?.state === state) return step.nothing(needed(asked.id))
      if ((await store.countWaiting(tx, agent.id, now)) >= MOST_WAITING)
        throw new ServiceError('limit_reached', `${MOST_WAITING} requests of this agent wait for approval already.`)
      const id = newId()
      await store.insertApproval(tx, {
        id,
        agent_id: agent.id,
        status: 'waiting',
        fingerprint,
        state,
        places: JSON.stringify(places),
        reason,
        actions: JSON.stringify(actions),
        objects,
        bytes,
        requested_at: now.toISOString(),
        expires_at: new Date(now.getTime() + WAITS_MS).toISOString(),
        decided_at: null,
        decided_by: null,
        done_at: null,
      })
      record({
        name: 'approval_request',
        resource: { type: 'approval', id },
        details: { approval_id: id, agent_id: agent.id, agent: agent.name, reason, objects, bytes, actions },
      })
      const { user_id } = step.actor
      if (user_id !== null)
        await enqueueMail(step, {
          kind: 'approval',
          about: id,
          to: { user_id },
          message: approvalAsked({ agent: agent.name, agent_id: agent.id, objects, bytes }),
        })
      return needed(id)
    })
  }
}

const needed = (approval_id: string) =>
  new ServiceError(
    'approval_required',
    `A user has to approve this first, as approval ${approval_id}. Nothing was changed. Once it is approved, make the same request again.`,
    { extensions: { approval_id } },
  )
const rejected = (approval_id: string) =>
  new ServiceError('forbidden', `This was rejected, as approval ${approval_id}. Do not ask for it again.`, {
    extensions: { approval_id },
  })
