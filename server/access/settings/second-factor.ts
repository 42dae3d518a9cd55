import { type GrantingGroup, isAdmin } from '../../../contract/permissions.ts'
import type { EffectiveSettings } from './effective.ts'

/** Whether the members of these groups need a second factor to log in with a password. */
export const needsSecondFactor = ({ auth }: EffectiveSettings, groups: readonly GrantingGroup[]): boolean =>
  auth.second_factor === 'everyone' || (auth.second_factor === 'administrators' && isAdmin(groups))
