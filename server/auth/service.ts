import type { Ctx } from '../context.ts'
import * as store from './store.ts'

export { actorOf } from './caller.ts'
export { invalidToken } from './jwt.ts'
export { testIdp as discoverIdp } from './oidc.ts'
export { assertSettable, hashPassword } from './passwords.ts'
export { authenticateToken } from './sessions.ts'
export type { UserRow } from './store.ts'

/** Step: ends every session of a user; gives how many were live. Access tokens die with the user's token_version. */
export const revokeSessionsOf = store.revokeSessionsOf

/** Deletes sessions, begun logins, refresh tokens and counters that can have no effect any more (J5). */
export const expiryWorker = {
  name: 'auth-expiry',
  every: 3600_000,
  run: (ctx: Ctx) => ctx.upkeep((tx) => store.deleteExpired(tx, ctx.now())),
}
