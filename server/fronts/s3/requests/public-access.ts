import { isAdmin, withinScope } from '../../../../contract/permissions.ts'
import { policiesFor } from '../../../access/policies/in-force.ts'
import { settingsInForce } from '../../../access/settings/effective.ts'
import type { Actor, System } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import type { PolicySubject } from '../../../storage/buckets/documents/policy.ts'
import { findPublicRights, type PublicRequest } from '../../../storage/buckets/documents/public-access.ts'
import { S3Error } from '../errors.ts'
import type { Authenticated } from './authenticate.ts'
import { readPastBucket } from './past-bucket.ts'
import { decodeText, type Query, type Target } from './target.ts'

const COPY_SOURCE = 'x-amz-copy-source'

/** The bucket and key that a copy source names, and the version; undefined if it names none. */
export function readSource(given: string): (Target & { versionId: string | undefined }) | undefined {
  const [path = '', versionId] = given.split('?versionId=')
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodeText(Buffer.from(path).toString('latin1'))) ?? []
  return bucket === undefined || key === undefined ? undefined : { bucket, key, versionId }
}

/** Which buckets a request is about, and whether about versions of their objects. */
export function bucketsOf({ bucket }: Target, query: Query, headers: { [name: string]: unknown }) {
  const about = new Map<string, Set<PolicySubject>>()
  const add = (name: string, isVersion: boolean) =>
    about.set(name, (about.get(name) ?? new Set()).add(isVersion ? 'versions' : 'current'))
  add(
    bucket,
    query.some(([name]) => name === 'versionId' || name === 'versions'),
  )
  const given = headers[COPY_SOURCE] ?? query.find(([name]) => name.toLowerCase() === COPY_SOURCE)?.[1]
  const source = given === undefined ? undefined : readSource(String(given))
  // Which of the two it is, only the buckets and snapshots say that there are.
  for (const name of source ? [source.bucket, readPastBucket(source.bucket)?.bucket] : [])
    if (name !== undefined) add(name, source?.versionId !== undefined)
  return new Map([...about].map(([name, set]): [string, PolicySubject[]] => [name, [...set]]))
}

/** What counts of what anyone may do. */
interface Public {
  buckets: PublicRequest['buckets']
  /** Whether grants to everyone and ACLs count; policies always do. */
  rights: boolean
}

/**
 * The caller with what anyone may do in these buckets besides, where public access is on; that is judged again whenever the
 * caller is. Whoever has no credential is judged by the policies of the buckets as well.
 */
export async function withPublicAccess(
  { config, database, now }: Pick<System, 'config' | 'database' | 'now'>,
  { actor, publicAccess }: Pick<Authenticated, 'actor' | 'publicAccess'>,
  { buckets, rights }: Public,
): Promise<Actor> {
  const as = actor.type === 'public' ? 'everyone' : 'authenticated'
  // Whoever may do everything needs nothing more.
  const hasPolicy = ({ policies }: Actor) => [...buckets.keys()].some((name) => policies?.ofBucket(name) !== undefined)
  const add = async (db: Db, to: Actor): Promise<Actor> => {
    const { group, acls, open, token } = await findPublicRights(db, { as, buckets })
    const policies = to.type === 'public' ? await policiesFor(db, token, to, { origin: to.origin, now }) : to.policies
    const judged = policies ? { ...to, policies: { ...policies, open } } : to
    if (!rights) return judged
    const groups = [...to.groups, ...(to.scope ? withinScope([group], to.scope) : [group])]
    return { ...judged, groups, acls: { as, buckets: acls } }
  }
  if (!publicAccess || isAdmin(actor.groups) || (!rights && !hasPolicy(actor))) return actor
  const renew = async (db: Db): Promise<Actor> => {
    const renewed = actor.renew ? await actor.renew(db) : actor
    const { s3 } = await settingsInForce({ db, config })
    return { ...(s3.public_access ? await add(db, renewed) : renewed), renew }
  }
  return { ...(await add(database.db, actor)), renew }
}

/** Throws AccessDenied while nothing can be public. */
export async function assertCanBePublic({ config, database }: Pick<System, 'config' | 'database'>): Promise<void> {
  if (!(await settingsInForce({ db: database.db, config })).s3.public_access)
    throw new S3Error('AccessDenied', 'Public access is turned off in the settings of this service.')
}
