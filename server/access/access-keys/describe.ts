import type { AccessKey, NewAccessKey } from '../../../contract/access-keys.ts'
import type { Action } from '../../../contract/actions.ts'
import type { Row } from '../../db/schema.ts'
import { describeUse } from '../credentials/manage.ts'
import { describeScope, scopeOf } from '../sessions/scope.ts'

type AccessKeyRow = Row<'access_keys'>

const common = (row: AccessKeyRow) => ({
  id: row.id,
  name: row.name,
  access_key_id: row.access_key_id,
  scope: describeScope(scopeOf(row.scope)),
})

/** A key as the API lists it, without its policy. */
export const describe = (row: AccessKeyRow, now: Date): Omit<AccessKey, 'policy'> => {
  const use = describeUse(row, now)
  const isOff = row.deactivated_at !== null && (use.status === 'active' || use.status === 'expiring')
  return { ...common(row), ...use, status: isOff ? 'inactive' : use.status }
}

/** A key with the secret that was just made for it. */
export const describeNew = (row: AccessKeyRow, secret_access_key: string): NewAccessKey => ({
  ...common(row),
  secret_access_key,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

/** The record of a revocation. */
export const keyRevoked = (
  { id, name, access_key_id, user_id }: AccessKeyRow,
  reason: 'requested' | 'cascade',
): Action => ({
  name: 'access_key_revoke',
  resource: { type: 'access_key', id },
  details: { name, access_key_id, reason, user_id },
})
