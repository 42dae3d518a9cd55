import type { PublicAccess } from '../../../contract/public-access.ts'
import { text } from './messages.ts'
import { Status } from './values.tsx'

/** What of a bucket is public, as a badge; nothing for a private one. */
export function PublicBadge({ access }: { access: PublicAccess | null | undefined }) {
  if (!access || (access.actions.length === 0 && !access.object_acls)) return null
  const isPublic = access.actions.length > 0
  return (
    <span title={isPublic ? text.publicTo(access.actions) : text.publicObjectsHint}>
      <Status tone={isPublic ? 'warn' : 'note'}>{isPublic ? text.public : text.publicObjects}</Status>
    </span>
  )
}
