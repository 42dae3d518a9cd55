import type { Logger } from 'pino'
import type { Action } from '../contract/actions.ts'
import type { AuthMethod } from '../contract/audit.ts'
import type { ServiceError } from '../contract/errors.ts'
import type { BucketAction, GrantingGroup, ScopeEntry } from '../contract/permissions.ts'
import { type Done, Nothing, RolledBack } from './base/nothing.ts'
import type { Config } from './config/config.ts'
import { authorOf, numberOfAuthor } from './db/authors.ts'
import type { Database } from './db/database.ts'
import type { Db, Tx } from './db/schema.ts'
import type { Blobs } from './drivers/blobs.ts'
import type { ActingAgent } from './iam/acting-agent.ts'
import type { PoliciesInForce } from './iam/asker.ts'
import { type Reach, reachOf, rule, type TaggedKey } from './iam/decide.ts'
import type { Asked } from './iam/names-of-rights.ts'
import { refusedBy } from './iam/refusal.ts'
import type { RequestFacts } from './iam/request-facts.ts'
import type { ActingSession } from './iam/session.ts'

/** Where a request came from, as the audit log records it. */
export interface Origin {
  request_id: string | null
  ip: string | null
  user_agent: string | null
  method: string | null
  /** The route's template, never the raw URL. */
  route: string | null
  /** What the front knows of the request that policies can ask for. */
  asks?: RequestFacts
}
/** Who acts. */
export interface Actor {
  /** `role`: a session that is nobody's account, of a role or of who came by their groups. */
  type: 'user' | 'role' | 'public' | 'system' | 'cli' | 'engine'
  user_id: string | null
  email: string | null
  display_name: string | null
  auth_method: AuthMethod | null
  /** The session, or that of the temporary credentials used. */
  session_id: string | null
  /** The personal access token used, the access key's row, or the agent. */
  token_id: string | null
  /** With the permissions of these groups, within `scope`. */
  groups: readonly GrantingGroup[]
  /** What the token or access key used is limited to; missing where it is not. */
  scope?: readonly ScopeEntry[]
  /** What stands before the name in the user's ARN, if it is not `/`. */
  path?: string
  /** Whether only programs act as the user. */
  service_account?: true
  /** Whether the session was opened with a second factor. */
  second_factor?: boolean
  /** What the temporary credentials used are of. */
  session?: ActingSession
  /** What the agent that acts is limited to besides its scope. */
  agent?: ActingAgent
  /** The share link through which the caller came. */
  share_id?: string
  /** The job or policy run that does it. */
  job_id?: string
  /** As whom ACLs of objects let the caller read, and in which buckets; without it ACLs do not count. */
  acls?: { as: 'everyone' | 'authenticated'; buckets: ReadonlySet<string> }
  /** The policies that decide besides; missing where there are none. */
  policies?: PoliciesInForce
  origin: Origin
  /**
   * Reloads the same caller with their current permissions; throws what a request made now would be refused with.
   * Missing where there is nothing to revoke: the system and anonymous callers.
   */
  renew?: (db: Db) => Promise<Actor>
}

/** What a transaction works with. `tx` is the only thing in it that can be awaited. */
export interface Upkeep {
  tx: Tx
  /** The caller as of the request's start; `currentActor` returns them as they are now. */
  actor: Actor
  config: Config
  now(): Date
  log: Logger
  /** `return step.nothing(result)` rolls back and records nothing: there was nothing to do. */
  nothing<T>(result: T): Nothing<T>
}
/** A transaction over state that users can see. */
export interface Step extends Upkeep {
  /** Adds one action to the transaction's audit records. */
  record(action: Action): void
  /** Hands over statements whose result nobody needs, so that those after them need not wait. The change fails with them. */
  awaitAtCommit(work: Promise<unknown>): void
  /** Runs work after everything else of the change, whose outcome it depends on. It may record as well. */
  atEnd(work: () => Promise<unknown>): void
}

/** Everything that code working for one caller may use. */
export interface Ctx {
  actor: Actor
  db: Db
  /**
   * The only way to change what users can see: the change, its audit records and one delivery per matching webhook
   * endpoint commit together or not at all. Only `step.tx` may be awaited inside; it may run again after a deadlock.
   * Throws when nothing was recorded, unless `step.nothing` is returned.
   */
  act<T>(change: (step: Step) => Promise<T>): Promise<Done<T>>
  /**
   * A transaction over state that users cannot see: blob rows, sessions, counters. `relaxed` does not wait for the
   * commit to survive a power failure (it survives a crash of the process): for rows whose loss does no harm.
   */
  upkeep<T>(change: (step: Upkeep) => Promise<T>, options?: { relaxed?: boolean }): Promise<Done<T>>
  /** The same process acting for someone else: a login is recorded as an action of the user who logged in. */
  as(actor: Actor): Ctx
  /** Of a caller who reads what a bucket was: the moment that `db` shows, in microseconds since 1970, and what reads the present. */
  past: { moment: number; present: Db } | null
  /** Until what objects were at a moment stays so; see `Database`. */
  settleMoment: Database['settleMoment']
  blobs: Blobs
  config: Config
  now(): Date
  log: Logger
  /**
   * Hands over work that no response waits for: a failure is logged, and shutdown waits for it. Pass a function for
   * work that the request only triggered and that is not counted as part of it.
   */
  background(work: Promise<unknown> | (() => Promise<unknown>)): void
  /** False in a process that only answers requests: other processes run the jobs and policies it queues. */
  worksInBackground: boolean
  /** Aborted when shutdown begins: long background work stops at its next step. */
  stopping: AbortSignal
}

/**
 * Step: announces what a change recorded, within its transaction. The function it resolves to is called after the
 * commit.
 */
export type Publish = (step: Upkeep, actions: readonly Action[]) => Promise<() => void>

/**
 * Step: what every change of an agent passes, before anything else in its transaction. The function it resolves to is told
 * what the change recorded; it counts that, and throws what the change is refused with.
 */
export type AgentGate = (step: Step, agent: ActingAgent) => Promise<(actions: readonly Action[]) => Promise<void>>

/** A refusal that leaves something behind, written once the change was rolled back. */
export abstract class RefusalWithTrace extends Error {
  /** Resolves to the error to answer with. */
  abstract leave(ctx: Pick<Ctx, 'act' | 'db' | 'now'>): Promise<Error>
}

/** What a process shares; createContext makes a Ctx from it for each caller. */
export interface System {
  agentGate: AgentGate
  /** Before a change: undefined if it may be made, otherwise to be awaited. Rejects once another instance has taken over. */
  mayWrite?: (() => Promise<void> | undefined) | undefined
  publish: Publish
  database: Database
  blobs: Blobs
  config: Config
  now(): Date
  log: Logger
  background: Ctx['background']
  worksInBackground: boolean
  stopping: AbortSignal
}

/** `made` is told the moment of each change of objects that is made with it, once that is committed. */
export function createContext(system: System, actor: Actor, made?: (moment: number) => void): Ctx {
  const { database, blobs, config, now, log, background, worksInBackground, stopping, publish, mayWrite } = system
  const { agentGate } = system
  const nothing = <T>(result: T) => new Nothing(result)
  async function inTransaction<T>(change: (step: Upkeep) => Promise<T>, options?: { relaxed?: boolean }) {
    const asking = mayWrite?.()
    if (asking) await asking
    try {
      const work = async (tx: Tx): Promise<Done<T>> => {
        const result = await change({ tx, actor, config, now, log, nothing })
        if (result instanceof Nothing) throw new RolledBack(result)
        return result as Done<T>
      }
      const known = numberOfAuthor(database, authorOf(actor), (noting) =>
        database.transaction(noting, { relaxed: true }),
      )
      const author = typeof known === 'number' ? known : await known
      return await database.transaction(work, { ...options, change: { now: now(), author, ...(made && { made }) } })
    } catch (error) {
      if (error instanceof RolledBack) return error.result as Done<T>
      throw error instanceof RefusalWithTrace ? await error.leave({ act, db: database.db, now }) : error
    }
  }
  async function act<T>(change: (step: Step) => Promise<T>): Promise<Done<T>> {
    const finish = await inTransaction(async (begun) => {
      const actions: Action[] = []
      const others: Promise<unknown>[] = []
      const last: (() => Promise<unknown>)[] = []
      const step: Step = {
        ...begun,
        record: (action) => void actions.push(action),
        awaitAtCommit(work) {
          others.push(work)
          // Where the change fails first, nobody waits for this.
          work.catch(() => undefined)
        },
        atEnd: (work) => void last.push(work),
      }
      const passed = actor.agent && (await agentGate(step, actor.agent))
      const result = await change(step)
      if (result instanceof Nothing) return begun.nothing(() => result.unwrap())
      for (const work of last) await work()
      if (actions.length === 0) throw new Error('A change recorded no action')
      await passed?.(actions)
      // Only the attempt that commits announces anything; one that was rolled back before it does not.
      const [published] = await Promise.all([publish(begun, actions), ...others])
      return () => {
        published()
        return result
      }
    })
    return finish() as Done<T>
  }
  return {
    actor,
    db: database.db,
    act,
    upkeep: inTransaction,
    as: (other) => createContext(system, other, made),
    past: null,
    settleMoment: database.settleMoment,
    blobs,
    config,
    now,
    log,
    background,
    worksInBackground,
    stopping,
  }
}

/**
 * The error that refuses the actor, naming what is missing, or that a policy denies it; null when the action is allowed.
 * Where a policy asks for the tags of the object and they are not given, the answer is no.
 */
export function refusal(
  actor: Actor,
  asked: BucketAction | Asked,
  bucket: string,
  on: string | TaggedKey = '',
): ServiceError | null {
  const ruling = rule(actor, asked, bucket, on)
  return ruling.allowed ? null : refusedBy(ruling, asked, bucket, typeof on === 'string' ? on : on.key)
}

/** That refusal, unless the actor could do it, for all that is known before the object was looked at. */
export function refusalBefore(actor: Actor, asked: BucketAction | Asked, bucket: string, key: string) {
  const ruling = rule(actor, asked, bucket, key)
  return ruling.allowed || ruling.depends ? null : refusedBy(ruling, asked, bucket, key)
}
/** Throws that refusal. */
export function allowPerhaps(actor: Actor, asked: BucketAction | Asked, bucket: string, key: string): void {
  const refused = refusalBefore(actor, asked, bucket, key)
  if (refused) throw refused
}

/**
 * The refusal where a policy denies the actor this action, or that of their session does not allow it, whatever right they
 * have: for what S3 has an action of its own and grants have not.
 */
export function denial(actor: Actor, asked: Asked, bucket: string, on: string | TaggedKey = ''): ServiceError | null {
  const ruling = rule(actor, { ...asked, exactly: true }, bucket, on)
  const isDenied = !ruling.allowed && (ruling.denied || ruling.outside)
  return isDenied ? refusedBy(ruling, asked, bucket, typeof on === 'string' ? on : on.key) : null
}
/** Throws that refusal. */
export function refuseDenied(actor: Actor, asked: Asked, bucket: string, key = ''): void {
  const refused = denial(actor, asked, bucket, key)
  if (refused) throw refused
}

/** Throws that refusal unless the actor may do it. */
export function allow(actor: Actor, asked: BucketAction | Asked, bucket: string, on: string | TaggedKey = ''): void {
  const refused = refusal(actor, asked, bucket, on)
  if (refused) throw refused
}

/**
 * Step: the caller as they are now. Whatever commits after a wait (for a body, for storage, for a lock) checks `allow`
 * again with this one, in its transaction and after its last long wait: a revocation committed before this statement
 * refuses the change, a later one comes after it.
 */
export const currentActor = async ({ tx, actor }: { tx: Db; actor: Actor }): Promise<Actor> =>
  actor.renew ? actor.renew(tx) : actor

/** Step: the same step with the caller as they are now, for steps that check permissions key by key themselves. */
export const asCurrent = async (step: Step): Promise<Step> => ({ ...step, actor: await currentActor(step) })

/** The parts of `prefix` where the actor may do it; throws `forbidden` where there are none. */
export function allowSomewhere(actor: Actor, asked: BucketAction | Asked, bucket: string, prefix = ''): Reach[] {
  const ranges = reachOf(actor, asked, bucket, prefix)
  if (ranges.length > 0) return ranges
  const ruling = rule(actor, asked, bucket, prefix)
  throw refusedBy(ruling.allowed ? { allowed: false } : ruling, asked, bucket, prefix)
}
