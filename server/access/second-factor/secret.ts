import type { Ctx } from '../../context.ts'
import type { Keys } from '../../secrets/derive.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import * as store from './store.ts'

const PURPOSE = 'second-factor'

/** Encrypts an app's key, together with the id of the row it is for, so that it cannot be moved to another. */
export const sealTotp = (config: Keys, id: string, secret: string): string => seal(config, PURPOSE, `${id}:${secret}`)

/** Decrypts an app's key; throws if it is another row's. */
export function unsealTotp(config: Keys, id: string, sealed: string): string {
  const [of, secret = ''] = unseal(config, PURPOSE, sealed).split(':')
  if (of !== id) throw new Error('The stored key is that of another second factor')
  return secret
}

/** Re-encrypts keys that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
export async function resealSecondFactors(ctx: Ctx): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const rows = await store.listSecrets(ctx.db, after)
    const old = rows.flatMap(({ id, secret }) =>
      secret === null || isSealedWithCurrent(ctx.config, secret) ? [] : [{ id, secret }],
    )
    if (old.length > 0)
      await ctx.upkeep(async ({ tx, config }) => {
        for (const { id, secret } of old)
          await store.replaceSecret(tx, id, secret, sealTotp(config, id, unsealTotp(config, id, secret)))
      })
    count += old.length
    const last = rows.at(-1)
    if (!last) return count
    after = last.id
  }
}
