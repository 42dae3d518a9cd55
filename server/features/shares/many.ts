// Links to many objects, one to each: created together, and revoked together.

import { ServiceError } from '../../../contract/errors.ts'
import type { BucketAction } from '../../../contract/permissions.ts'
import { type LinkToEach, MOST_LINKS } from '../../../contract/shares.ts'
import { invalid } from '../../base/invalid.ts'
import { allowSomewhere, asCurrent, type Ctx, refusal, type Step } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { reachOf } from '../../iam/decide.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { type BucketRow, findBucket } from '../../storage/buckets/store.ts'
import { excluder } from '../../storage/jobs/listing.ts'
import { objectMissing } from '../../storage/objects/absence.ts'
import { type ItemError, itemError } from '../../storage/objects/item-error.ts'
import { prepare } from '../../storage/objects/lists/in-bucket.ts'
import { termsOf } from '../../storage/objects/query/ask.ts'
import { findTaken } from '../../storage/objects/store.ts'
import { agree, type Fresh, type LinkLimits, newLink, recordCreated, type Terms } from './create.ts'
import { shareMissing, urlsOf } from './describe.ts'
import { rightsToShare, targetsOf } from './owner.ts'
import { isOver, revokeStep } from './service.ts'
import * as store from './store.ts'

/** How many links are written by one statement, and revoked in one change. */
const AT_ONCE = 250
/** How many pages of a search one request reads. */
const MOST_PAGES = 20

/** Which objects, and what their links are limited to. */
export interface ManyLinks extends LinkLimits {
  keys?: readonly string[] | undefined
  prefix?: string | undefined
  query?: string | undefined
  exclude?: readonly string[] | undefined
  dry_run?: boolean | undefined
}

/**
 * Creates a link to each of up to 1,000 objects, all in one change. Each needs `share` and `read`; what cannot be shared is
 * reported, and the others get theirs. The URLs are in the response, whether or not links are stored.
 */
export async function shareMany(ctx: Ctx, name: string, input: ManyLinks) {
  allowLinks(ctx, name)
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)
  const terms = await agree(ctx, input)
  const keys = await keysOf(ctx, name, input)
  if (input.dry_run) {
    const { allowed, errors } = await decide({ db: ctx.db, actor: ctx.actor }, bucket, keys)
    return { items: [], errors, total: allowed.length }
  }
  return ctx.act(async (step) => {
    const { items, errors } = await linkEach(ctx, await asCurrent(step), bucket, { keys, terms })
    const result = { items, errors, total: items.length }
    return items.length === 0 ? step.nothing(result) : result
  })
}

/** Throws unless the caller may share something in the bucket. */
function allowLinks({ actor }: Ctx, bucket: string): void {
  for (const right of rightsToShare('object')) allowSomewhere(actor, right, bucket)
}

/** Agrees on what links are limited to; returns the step that creates one to each of these objects. */
export async function linkerFor(ctx: Ctx, bucketName: string, limits: LinkLimits) {
  allowLinks(ctx, bucketName)
  const terms = await agree(ctx, limits)
  return (step: Step, bucket: Pick<BucketRow, 'id' | 'name'>, keys: readonly string[]) =>
    linkEach(ctx, step, bucket, { keys, terms })
}

/** Step: creates a link to each of these objects that the actor may share, and tells why not to the others. */
async function linkEach(
  ctx: Ctx,
  step: Pick<Step, 'tx' | 'record' | 'actor'>,
  bucket: Pick<BucketRow, 'id' | 'name'>,
  { keys, terms }: { keys: readonly string[]; terms: Terms },
): Promise<{ items: LinkToEach[]; errors: ItemError[] }> {
  const { tx, actor } = step
  const { allowed, errors } = await decide({ db: tx, actor }, bucket, keys)
  const made = allowed.map((key) => newLink(ctx, bucket, { kind: 'object', target: key }, terms))
  for (let at = 0; at < made.length; at += AT_ONCE)
    await store.insertShares(
      tx,
      made.slice(at, at + AT_ONCE).map(({ row }) => row),
    )
  for (const { row } of made) recordCreated(ctx, step, row, terms)
  return { items: made.map((one) => linkOf(ctx, one)), errors }
}

const linkOf = (ctx: Ctx, { row, token }: Fresh): LinkToEach => {
  const { url, page_url } = urlsOf(ctx, token)
  return { id: row.id, key: row.target, url, page_url, expires_at: row.expires_at }
}

/** The keys that are named or found. Throws limit_reached if they are more than one request takes, or finds. */
async function keysOf(ctx: Ctx, bucket: string, { keys, prefix, query, exclude = [] }: ManyLinks) {
  if (keys && (query !== undefined || prefix !== undefined))
    throw invalid('body.keys', 'cannot be combined with prefix or query')
  if (!keys && query === undefined && prefix === undefined)
    throw invalid('body.keys', 'is required, or a prefix or query')
  const isExcluded = excluder(exclude, prefix ?? '')
  if (keys) return keys.filter((key) => !isExcluded(key))
  const terms = query === undefined ? [] : termsOf(query, 'body.query')
  const { find } = await prepare(ctx, bucket, { terms, prefix: prefix ?? '' })
  const found: string[] = []
  let after: string | undefined
  // Each looks at a bounded number of objects, of which most may be left out or not what is asked for.
  for (let pages = 0; pages === 0 || after !== undefined; pages++) {
    if (pages === MOST_PAGES) throw takesTooLong()
    const page = await find({ order: 'asc', after, limit: MOST_LINKS + 1 })
    // The marker of the folder itself is none of its contents.
    found.push(...page.rows.flatMap(({ key }) => (isExcluded(key) || key === prefix ? [] : key)))
    if (found.length > MOST_LINKS) throw tooMany()
    after = page.next ?? undefined
  }
  return found
}

const takesTooLong = () =>
  new ServiceError('limit_reached', 'There are too many objects to look at for one request. Ask for a smaller folder.')
const tooMany = () =>
  new ServiceError(
    'limit_reached',
    `These are more than ${MOST_LINKS} objects. Ask for fewer at a time, or create one link to their folder.`,
  )

/** Which of these objects the actor may share, and why not the others. */
async function decide(
  { db, actor }: { db: Db; actor: Ctx['actor'] },
  { id, name }: Pick<BucketRow, 'id' | 'name'>,
  keys: readonly string[],
): Promise<{ allowed: string[]; errors: ItemError[] }> {
  const there = await findTaken(db, id, keys)
  const allowed: string[] = []
  const errors: ItemError[] = []
  for (const key of keys) {
    const [refused] = rightsToShare('object').flatMap((right) => refusal(actor, right, name, key) ?? [])
    const error = refused ?? (there.has(key) ? undefined : objectMissing(name, key))
    if (error) errors.push(itemError(key, error))
    else allowed.push(key)
  }
  return { allowed, errors }
}

/** Revokes links to objects of a bucket, all in one change; each like `revokeShare`. */
export async function revokeMany(ctx: Ctx, name: string, ids: readonly string[]) {
  const may = (right: BucketAction) => reachOf(ctx.actor, right, name, '').length > 0
  if (!may('manage')) {
    allowSomewhere(ctx.actor, 'share', name)
    if (!may('write')) allowSomewhere(ctx.actor, 'read', name)
  }
  if (!(await findBucket(ctx.db, name))) throw bucketMissing(name)
  return revokeEach(ctx, name, ids)
}

/** Revokes those of these links of a bucket that the caller may revoke. */
function revokeEach(ctx: Ctx, name: string, ids: readonly string[]) {
  return ctx.act(async (step) => {
    const now = await asCurrent(step)
    const revoked: string[] = []
    const errors: { id: string; code: string; detail: string }[] = []
    // In one order, so that two who revoke the same do not wait for each other.
    for (const id of ids.toSorted()) {
      const row = await store.lockShare(step.tx, id)
      if (row && row.bucket === name && row.revoked_at === null && isOver(now, row)) {
        await revokeStep(step, row)
        revoked.push(id)
      } else {
        const { code, message } = shareMissing()
        errors.push({ id, code, detail: message })
      }
    }
    const result = { revoked, errors }
    return revoked.length === 0 ? step.nothing(result) : result
  })
}

/**
 * The links that an agent has created since a moment to what is in a bucket, or in a folder of it, by id: those that the caller
 * may revoke.
 */
export async function findOverLinksOfAgent(
  ctx: Ctx,
  { bucket, prefix, ...made }: { agent: string; since: string; bucket: string; prefix: string },
): Promise<string[]> {
  const rows = await store.findLinksOfAgent(ctx.db, { ...made, bucket })
  const meant = rows.filter((row) => isOver(ctx, row) && targetsOf(row).some((target) => target.startsWith(prefix)))
  return meant.map(({ id }) => id)
}

/** Revokes links of a bucket, however many: those that the caller may revoke. */
export async function revokeLinks(ctx: Ctx, bucket: string, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) await revokeEach(ctx, bucket, ids.slice(at, at + AT_ONCE))
}
