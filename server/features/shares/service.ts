import { ServiceError } from '../../../contract/errors.ts'
import { isAdmin } from '../../../contract/permissions.ts'
import type { Share } from '../../../contract/shares.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { decodeCursor, pageOf } from '../../base/cursor.ts'
import { invalid } from '../../base/invalid.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Ctx, Step } from '../../context.ts'
import { permits } from '../../iam/decide.ts'
import { endUploadsOfLink } from '../../storage/uploads/service.ts'
import { limitsOf } from './accept.ts'
import * as accessStore from './accesses/store.ts'
import { bindsOf } from './approval.ts'
import { type LinkLimits, passwordHash } from './create.ts'
import { describe, shareMissing } from './describe.ts'
import { lifetimeOf } from './lifetime.ts'
import { assertNotifiable } from './notice.ts'
import { isShareOwner, targetsOf } from './owner.ts'
import * as store from './store.ts'

const ACCESSES_KEPT_MS = 365 * DAY_MS

interface ShareChange extends LinkLimits {
  content_types?: readonly string[] | null | undefined
}
interface ListQuery extends store.Wanted {
  limit?: number | undefined
  cursor?: string | undefined
}

/** The caller's links, or for administrators everyone's, latest first; never with tokens. */
export async function listShares(ctx: Ctx, query: ListQuery) {
  const { limit = 100, cursor, ...wanted } = query
  const [before] = decodeCursor(cursor, 1) ?? []
  const createdBy = isAdmin(ctx.actor.groups) ? null : ctx.actor.user_id
  const rows: Awaited<ReturnType<typeof store.listShares>> = []
  for (let from = before; rows.length <= limit; ) {
    const next = await store.listShares(ctx.db, { ...wanted, createdBy, before: from, now: ctx.now() }, limit + 1)
    rows.push(...next.filter((row) => createdBy === null || isShareOwner(ctx, row)))
    if (next.length <= limit) break
    from = next.at(-1)?.id
  }
  const { page, next_cursor } = pageOf(rows.slice(0, limit + 1), limit, ({ id }) => [id])
  const uses = await accessStore.sumUses(
    ctx.db,
    page.map(({ id }) => id),
  )
  return {
    items: page.map((row) => describe(ctx, row, row.email, uses.get(row.id))),
    next_cursor,
  }
}

/** Whether the caller may see and revoke a link: it is theirs, or they manage its target. */
export function isOver(ctx: Pick<Ctx, 'actor'>, row: store.ShareRow): boolean {
  if (isShareOwner(ctx, row) || isAdmin(ctx.actor.groups)) return true
  return targetsOf(row).every((key) => permits(ctx.actor, 'manage', row.bucket, key))
}

/** Changes a link's limits: the caller's, or for administrators anyone's. A revoked link stays revoked. */
export async function updateShare(ctx: Ctx, id: string, change: ShareChange): Promise<Share> {
  const settings = await settingsInForce(ctx)
  assertNotifiable(settings, change.notify)
  const lifetime = change.expires_in === undefined ? undefined : lifetimeOf(ctx, settings, change.expires_in)
  const hash = change.password ? await passwordHash(ctx, change.password) : null
  return ctx.act(async ({ tx, record }) => {
    const row = await store.lockShare(tx, id)
    if (!row || (!isShareOwner(ctx, row) && !isAdmin(ctx.actor.groups))) throw shareMissing()
    if (row.revoked_at !== null) throw new ServiceError('conflict', 'The link was revoked. Create a new one.')
    const { content_types } = change
    if (content_types !== undefined && row.kind !== 'upload')
      throw invalid('body.content_types', 'is only allowed for links that accept uploads')
    const limits = { ...limitsOf(row), content_types: content_types ?? undefined }
    const fields = {
      ...(lifetime && { expires_at: lifetime.expires_at }),
      ...(change.password === undefined ? {} : { password_hash: hash }),
      ...(change.max_downloads === undefined ? {} : { max_downloads: change.max_downloads }),
      ...(change.filename === undefined ? {} : { filename: change.filename }),
      ...(change.disposition === undefined ? {} : { disposition: change.disposition }),
      ...(change.message === undefined ? {} : { message: change.message }),
      ...(change.notify === undefined ? {} : { notify: Number(change.notify) }),
      ...(content_types === undefined ? {} : { limits: JSON.stringify(limits) }),
    }
    await store.updateShare(tx, id, fields)
    const next = { ...row, ...fields }
    const recordedAs: { [field: string]: string } = {
      password_hash: 'has_password',
      message: 'has_message',
      limits: 'content_types',
    }
    const visible = ({ password_hash, message, notify, ...all }: store.ShareRow) => {
      const has = { has_password: password_hash !== null, has_message: message !== null, notify: notify === 1 }
      const types = { content_types: limitsOf(all).content_types ?? null }
      const shown: { [field: string]: unknown } = { ...all, ...has, ...types }
      const names = Object.keys(fields).map((name) => recordedAs[name] ?? name)
      return Object.fromEntries(names.map((name) => [name, shown[name]]))
    }
    record({
      name: 'share_update',
      bucket: row.bucket,
      ...(row.kind === 'object' ? { key: row.target } : {}),
      resource: { type: 'share', id },
      details: { share_id: id, before: visible(row), after: visible(next) },
      binds: bindsOf(ctx, next, { password: change.password, expires_in: lifetime?.expires_in }),
    })
    return describe(ctx, next, await store.emailOf(tx, row.created_by), (await accessStore.sumUses(tx, [id])).get(id))
  })
}

/** Revokes a link at once: by its creator, an administrator, or anyone with `manage` on its target. */
export async function revokeShare(ctx: Ctx, id: string): Promise<undefined> {
  await ctx.act(async (step) => {
    const row = await store.lockShare(step.tx, id)
    if (!row || row.revoked_at !== null || !isOver(ctx, row)) throw shareMissing()
    await revokeStep(step, row)
  })
}

/** Step: revokes a link that may be revoked. */
export async function revokeStep({ tx, record, now }: Step, row: store.ShareRow): Promise<void> {
  await store.updateShare(tx, row.id, { revoked_at: now().toISOString(), sealed_token: null })
  await endUploadsOfLink(tx, row.id, now())
  record({
    name: 'share_revoke',
    bucket: row.bucket,
    ...(row.kind === 'object' ? { key: row.target } : {}),
    resource: { type: 'share', id: row.id },
    details: { share_id: row.id },
  })
}

/** Who opened a link, latest first. */
export async function listAccesses(ctx: Ctx, id: string, page: number, pageSize: number) {
  const row = await store.findShare(ctx.db, id)
  if (!row || !isOver(ctx, row)) throw shareMissing()
  const rows = await accessStore.listAccesses(ctx.db, id, (page - 1) * pageSize, pageSize)
  const items = rows.map(({ share_id: _share, ...access }) => access)
  return { items, total: await accessStore.countAccesses(ctx.db, id), page, page_size: pageSize }
}

/**
 * Deletes accesses older than a year, servings that can no longer be continued, and stored links where the settings keep
 * none.
 */
export const shareUpkeep = {
  name: 'share-upkeep',
  every: HOUR_MS,
  run: async (ctx: Ctx): Promise<void> => {
    await ctx.upkeep(({ tx }) => accessStore.deleteAccesses(tx, new Date(ctx.now().getTime() - ACCESSES_KEPT_MS)))
    await ctx.upkeep(({ tx }) => accessStore.deleteServings(tx, ctx.now()))
    const { shares } = await settingsInForce(ctx)
    if (!shares.keep_links) await ctx.upkeep(({ tx }) => store.deleteTokens(tx))
  },
}
