import type { Ctx } from '../../context.ts'
import type { Keys } from '../../secrets/derive.ts'
import { isSealedWithCurrent, seal, unseal } from '../../secrets/seal.ts'
import * as store from './store.ts'

const PURPOSE = 'mail-body'

/** A mail's text, and its language if that is known. */
export interface Body {
  text: string
  language: string | undefined
}

/** Encrypts a mail's text, in which a link may admit whoever has it, together with the mail's id and its language. */
export const sealBody = (config: Keys, id: string, { text, language }: Body): string =>
  seal(config, PURPOSE, `${id}${language === undefined ? '' : `/${language}`}:${text}`)

/** Decrypts a mail's text; throws if it is another mail's, or its SECRET_KEY is no longer configured. */
export function openBody(config: Keys, { id, sealed_body }: Pick<store.Claimed, 'id' | 'sealed_body'>): Body {
  const opened = unseal(config, PURPOSE, sealed_body)
  const end = opened.indexOf(':')
  const [owner, language] = opened.slice(0, end).split('/')
  if (owner !== id) throw new Error('The stored text is that of another mail')
  return { text: opened.slice(end + 1), language }
}

/** Re-encrypts texts that still use a previous SECRET_KEY, so that it can be retired. Returns how many. */
export async function resealMails(ctx: Ctx): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const rows = await store.listBodies(ctx.db, after)
    const old = rows.filter(({ sealed_body }) => !isSealedWithCurrent(ctx.config, sealed_body))
    if (old.length > 0)
      await ctx.upkeep(async ({ tx, config }) => {
        for (const { id, sealed_body } of old)
          await store.replaceBody(tx, id, sealed_body, seal(config, PURPOSE, unseal(config, PURPOSE, sealed_body)))
      })
    count += old.length
    const last = rows.at(-1)
    if (!last) return count
    after = last.id
  }
}
