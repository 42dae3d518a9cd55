import { ServiceError } from '../../../contract/errors.ts'
import type { NewShare } from '../../../contract/shares.ts'
import { settingsInForce } from '../../access/settings/effective.ts'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import { hashSecret } from '../../secrets/sign.ts'
import { shareMissing, urlsOf } from './describe.ts'
import { isShareOwner } from './owner.ts'
import * as store from './store.ts'

const PURPOSE = 'share-token'

/** Encrypts a link's token. It names the link, so that it is worth nothing in another link's row. */
export const sealToken = (config: Config, id: string, token: string): string => seal(config, PURPOSE, `${id}:${token}`)

/** Decrypts a link's token; throws if it is another link's, or its SECRET_KEY is no longer configured. */
function openToken(config: Config, { id, token_hash }: store.ShareRow, sealed: string): string {
  const [of, token = ''] = unseal(config, PURPOSE, sealed).split(':')
  if (of !== id || hashSecret(token) !== token_hash) throw new Error('The stored token is that of another link')
  return token
}

/** A link's URL for its creator, who has lost it. Throws `conflict` if it was revoked or is not kept. */
export async function getShareLink(ctx: Ctx, id: string): Promise<Pick<NewShare, 'id' | 'token' | 'url' | 'page_url'>> {
  const { shares } = await settingsInForce(ctx)
  return ctx.act(async ({ tx, record }) => {
    const row = await store.lockShare(tx, id)
    if (!row || !isShareOwner(ctx, row)) throw shareMissing()
    if (row.revoked_at !== null) throw new ServiceError('conflict', 'The link was revoked. Create a new one.')
    if (row.sealed_token === null || !shares.keep_links)
      throw new ServiceError('conflict', 'The link is not stored, so it cannot be shown again. Create a new one.')
    const token = openToken(ctx.config, row, row.sealed_token)
    record({
      name: 'share_link_read',
      bucket: row.bucket,
      ...(row.kind === 'object' ? { key: row.target } : {}),
      resource: { type: 'share', id },
      details: { share_id: id },
    })
    return { id, ...urlsOf(ctx, token) }
  })
}

/** Re-encrypts tokens that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
export async function resealShares(ctx: Ctx): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const rows = await store.listTokens(ctx.db, after)
    const old = rows.filter(({ sealed_token }) => !isSealedWithCurrent(ctx.config, sealed_token))
    if (old.length > 0)
      await ctx.upkeep(async ({ tx, config }) => {
        for (const { id, sealed_token } of old)
          await store.replaceToken(tx, id, sealed_token, seal(config, PURPOSE, unseal(config, PURPOSE, sealed_token)))
      })
    count += old.length
    const last = rows.at(-1)
    if (!last) return count
    after = last.id
  }
}
