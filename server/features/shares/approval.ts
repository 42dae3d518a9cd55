import type { Action } from '../../../contract/actions.ts'
import type { Ctx } from '../../context.ts'
import { markOf } from '../../secrets/sign.ts'
import { limitsOf } from './accept.ts'
import type { ShareRow } from './store.ts'

/**
 * What an approval of a link is about besides what the audit log has of it: all of it, and its password, which is shown to nobody.
 * `expires_in` is undefined where its end stays.
 */
export function bindsOf(
  { config }: Pick<Ctx, 'config'>,
  { expires_at, password_hash, max_downloads, filename, disposition, message, notify, ...row }: ShareRow,
  { password, expires_in }: { password: string | null | undefined; expires_in: number | null | undefined },
): NonNullable<Action['binds']> {
  return {
    shown: {
      ...(expires_in === undefined ? { expires_at } : { expires_in }),
      has_password: password_hash !== null,
      max_downloads,
      filename,
      disposition,
      message,
      notify: notify === 1,
      ...limitsOf(row),
    },
    ...(password ? { hidden: markOf(config, 'share-password', password) } : {}),
  }
}
