// New links: what they are to, how long they last and what limits them.
import type { NewShare } from '../../../contract/shares.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import { newId } from '../../base/id.ts'
import { invalid } from '../../base/invalid.ts'
import { allow, type Ctx, type Step } from '../../context.ts'
import { hashPassword } from '../../secrets/passwords.ts'
import { randomToken } from '../../secrets/random.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { bucketMissing } from '../../storage/buckets/service.ts'
import { type BucketRow, findBucket } from '../../storage/buckets/store.ts'
import { assertWritable } from '../../storage/buckets/writable.ts'
import { objectMissing } from '../../storage/objects/absence.ts'
import { findObject } from '../../storage/objects/store.ts'
import { bindsOf } from './approval.ts'
import { describe, type UploadLimits, urlsOf } from './describe.ts'
import { lifetimeOf } from './lifetime.ts'
import { sealToken } from './link.ts'
import { assertNotifiable } from './notice.ts'
import { rightsToShare } from './owner.ts'
import * as store from './store.ts'

/** What a link can be limited to, and what it says. */
export interface LinkLimits {
  expires_in?: string | number | undefined
  password?: string | null | undefined
  max_downloads?: number | null | undefined
  filename?: string | null | undefined
  disposition?: 'inline' | 'attachment' | null | undefined
  message?: string | null | undefined
  notify?: boolean | undefined
}
export interface CreateShare extends LinkLimits, UploadLimits {
  kind: store.ShareRow['kind']
  bucket: string
  key?: string | undefined
  prefix?: string | undefined
  keys?: readonly string[] | undefined
}

/** The hash of a link's password. Throws invalid_request for one that cannot be hashed whole. */
export const passwordHash = (ctx: Ctx, password: string): Promise<string> => {
  const bytes = Buffer.byteLength(password.normalize('NFKC'))
  if (bytes > 72 || password.includes('\0')) throw invalid('body.password', 'must have at most 72 bytes and no NUL')
  return hashPassword(password, ctx.config.bcryptCost)
}

/** Throws if this cannot be shared; returns the link's target. */
async function targetOf(ctx: Ctx, { kind, bucket, key, prefix, keys }: CreateShare): Promise<string> {
  const given = { object: key, folder: prefix, selection: keys, upload: prefix }[kind]
  const field = { object: 'key', folder: 'prefix', selection: 'keys', upload: 'prefix' }[kind]
  if (given === undefined) throw invalid(`body.${field}`, `is required when kind is ${kind}`)
  for (const [name, value] of Object.entries({ key, prefix, keys }))
    if (value !== undefined && name !== field) throw invalid(`body.${name}`, `is not allowed when kind is ${kind}`)
  const all = typeof given === 'string' ? [given] : given
  for (const one of all) for (const right of rightsToShare(kind)) allow(ctx.actor, right, bucket, one)
  return typeof given === 'string' ? given : JSON.stringify(given)
}

/** What links that are created together have in common. */
export interface Terms extends LinkLimits {
  /** The lifetime in seconds, and its end; null for ever. */
  lasts: { expires_in: number | null; expires_at: string | null }
  password_hash: string | null
  keepsLinks: boolean
  uploads: UploadLimits
}

/** Checks limits against the settings and completes them. */
export async function agree(ctx: Ctx, limits: LinkLimits, uploads: UploadLimits = {}): Promise<Terms> {
  const settings = await settingsInForce(ctx)
  assertNotifiable(settings, limits.notify)
  const lasts = lifetimeOf(ctx, settings, limits.expires_in)
  const password_hash = limits.password ? await passwordHash(ctx, limits.password) : null
  return { ...limits, lasts, password_hash, keepsLinks: settings.shares.keep_links, uploads }
}

/** A link that is to be created, with the secret that opens it. */
export interface Fresh {
  row: store.ShareRow
  token: string
}

/** A new link of the caller. Nothing is stored yet. */
export function newLink(
  ctx: Ctx,
  { id: bucket_id, name }: Pick<BucketRow, 'id' | 'name'>,
  { kind, target }: Pick<store.ShareRow, 'kind' | 'target'>,
  terms: Terms,
): Fresh {
  const token = randomToken()
  const id = newId()
  const { max_downloads = null, filename = null, disposition = null, message = null, notify = false } = terms
  const row: store.ShareRow = {
    id,
    token_hash: hashSecret(token),
    sealed_token: terms.keepsLinks ? sealToken(ctx.config, id, token) : null,
    kind,
    bucket_id,
    bucket: name,
    target,
    created_by: ctx.actor.user_id ?? '',
    agent_id: ctx.actor.agent?.id ?? null,
    created_at: ctx.now().toISOString(),
    expires_at: terms.lasts.expires_at,
    revoked_at: null,
    password_hash: terms.password_hash,
    max_downloads,
    downloads: 0,
    filename,
    disposition,
    message,
    notify: Number(notify),
    notified_at: null,
    limits: JSON.stringify(terms.uploads),
    received_files: 0,
    received_bytes: 0,
  }
  return { row, token }
}

/** Step: records that a link was created. */
export function recordCreated(ctx: Ctx, { record }: Pick<Step, 'record'>, row: store.ShareRow, terms: Terms): void {
  const { id, kind, bucket, target, expires_at } = row
  const keys = kind === 'selection' ? (JSON.parse(target) as string[]) : []
  record({
    name: 'share_create',
    bucket,
    ...(kind === 'object' ? { key: target } : {}),
    resource: { type: 'share', id },
    details: {
      share_id: id,
      kind,
      ...(kind === 'folder' || kind === 'upload' ? { prefix: target } : {}),
      ...(kind === 'selection' ? { keys: keys.length, object_keys: keys } : {}),
      expires_at,
    },
    binds: bindsOf(ctx, row, { password: terms.password, expires_in: terms.lasts.expires_in }),
  })
}

/**
 * Creates a link, and keeps its token if the settings say so. Needs `share` and `read` (for uploads, `write`) on the whole
 * target.
 */
export async function createShare(ctx: Ctx, input: CreateShare): Promise<NewShare> {
  const target = await targetOf(ctx, input)
  const { kind, max_file_bytes, max_total_bytes, max_files, content_types } = input
  const uploads: UploadLimits = { max_file_bytes, max_total_bytes, max_files, content_types }
  if (kind !== 'upload' && Object.values(uploads).some((one) => one !== undefined))
    throw invalid('body.max_files', 'is only allowed when kind is upload, like the other upload limits')
  const terms = await agree(ctx, input, uploads)
  const bucket = await findBucket(ctx.db, input.bucket)
  if (!bucket) throw bucketMissing(input.bucket)
  if (kind === 'upload') assertWritable(bucket)
  if (kind === 'object' && !(await findObject(ctx.db, input.bucket, target))) throw objectMissing(input.bucket, target)
  const { row, token } = newLink(ctx, bucket, { kind, target }, terms)
  await ctx.act(async (step) => {
    await store.insertShare(step.tx, row)
    recordCreated(ctx, step, row, terms)
  })
  return { ...describe(ctx, row, ctx.actor.email), ...urlsOf(ctx, token) }
}
