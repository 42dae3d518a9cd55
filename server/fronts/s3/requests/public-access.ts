import { isAdmin, withinScope } from '../../../../contract/permissions.ts'
import { settingsInForce } from '../../../access/settings/effective.ts'
import type { Actor, System } from '../../../context.ts'
import type { Db } from '../../../db/schema.ts'
import type { PolicySubject } from '../../../storage/buckets/documents/policy.ts'
import { findPublicRights, type PublicRequest } from '../../../storage/buckets/documents/public-access.ts'
import { S3Error } from '../errors.ts'
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
  if (source) add(readPastBucket(source.bucket)?.bucket ?? source.bucket, source.versionId !== undefined)
  return new Map([...about].map(([name, set]): [string, PolicySubject[]] => [name, [...set]]))
}

/**
 * The caller with what anyone may do in these buckets besides, where public access is on; that is judged again whenever the
 * caller is.
 */
export async function withPublicAccess(
  { config, database }: Pick<System, 'config' | 'database'>,
  actor: Actor,
  buckets: PublicRequest['buckets'],
): Promise<Actor> {
  // Whoever may do everything needs nothing more.
  if (isAdmin(actor.groups)) return actor
  const as = actor.type === 'public' ? 'everyone' : 'authenticated'
  const add = async (db: Db, to: Actor): Promise<Actor> => {
    const { group, acls, told } = await findPublicRights(db, { as, buckets })
    const groups = [...to.groups, ...(to.scope ? withinScope([group], to.scope) : [group])]
    // A key that is limited says of which buckets it may be asked.
    return { ...to, groups, acls: { as, buckets: acls }, ...(to.scope ? {} : { told }) }
  }
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
