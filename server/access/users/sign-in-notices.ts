// Mail to users about changes of how they sign in.
import { newId } from '../../base/id.ts'
import type { Upkeep } from '../../context.ts'
import type { Row } from '../../db/schema.ts'
import { enqueueMail } from '../mail/enqueue.ts'
import type { SignInChange, SignInChanger } from '../mail/languages/en.ts'
import { signInChanged } from '../mail/messages.ts'
import { settingsInForce } from '../settings/effective.ts'

/** A change, with what the user calls the factor that it is about. */
export interface Changed {
  change: SignInChange
  name?: string
}
export interface SignInNotice {
  changes: readonly Changed[]
  by: SignInChanger
}

/** What a new password makes of how a user signs in. */
export const newPasswordFor = (user: Pick<Row<'users'>, 'password_hash'>): SignInChange =>
  user.password_hash === null ? 'password_set' : 'password_changed'

/**
 * Step: queues a mail to a user about what has changed in how they sign in. A new address is one of the changes, and then
 * the earlier address gets a mail too, since whoever reads it is told of nothing else from then on. Only for people who are
 * not disabled.
 */
export async function tellOfSignIn(
  step: Pick<Upkeep, 'tx' | 'config' | 'now'>,
  before: Row<'users'>,
  after: Row<'users'>,
  { changes, by }: SignInNotice,
): Promise<void> {
  const moves = before.email_key !== after.email_key
  if (after.disabled_at !== null || after.service_account === 1 || (changes.length === 0 && !moves)) return
  const about = newId()
  const tell = (address: string, all: readonly Changed[], canReset: boolean) =>
    enqueueMail(step, {
      kind: 'sign_in_changed',
      about,
      to: { address, language: after.language },
      message: signInChanged({ changes: all, by, at: step.now().toISOString(), canReset }),
    })
  const canReset = after.password_hash !== null && (await settingsInForce(step)).auth.enable_local
  await tell(after.email, moves ? [...changes, { change: 'address_added' }] : changes, canReset)
  if (moves) await tell(before.email, [...changes, { change: 'address_removed' }], false)
}

/** Step: the same about a change of nothing but the second factors. */
export const tellOfFactors = (
  step: Pick<Upkeep, 'tx' | 'config' | 'now'>,
  user: Row<'users'>,
  changed: Changed,
  by: SignInChanger,
): Promise<void> => tellOfSignIn(step, user, user, { changes: [changed], by })
