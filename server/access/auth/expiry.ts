import { HOUR_MS } from '../../base/time.ts'
import type { Ctx } from '../../context.ts'
import { deleteExpiredChallenges } from '../second-factor/challenge.ts'
import { deleteExpiredSessions } from '../sessions/service.ts'
import { deleteExpiredInvitations } from '../users/invitations.ts'
import * as store from './store.ts'

/** Deletes expired sessions, unfinished logins, challenges, links to choose a password, refresh tokens and counters. */
export const expiryWorker = {
  name: 'auth-expiry',
  every: HOUR_MS,
  run: (ctx: Ctx) =>
    ctx.upkeep(async ({ tx, now }) => {
      await deleteExpiredSessions(tx, now())
      await store.deleteExpired(tx, now())
      await deleteExpiredChallenges(tx, now())
      await deleteExpiredInvitations(tx, now())
      await store.deleteExpiredResets(tx, now())
    }),
}
