import type { Share } from '../../../../contract/shares.ts'
import { formatBoth } from '../../i18n.ts'
import { text as common } from '../../ui/messages.ts'
import { text } from './messages.ts'

/** Who can open a link, and until when. */
export function WhoMayOpen({
  kind,
  hasPassword,
  expiresAt,
}: {
  kind: Share['kind']
  hasPassword: boolean
  /** If not given, it is not mentioned. */
  expiresAt?: string | null
}) {
  const who =
    kind === 'upload'
      ? hasPassword
        ? text.anyoneUploadsWithPassword
        : text.anyoneUploads
      : hasPassword
        ? text.anyoneWithPassword
        : text.anyone
  const until =
    expiresAt === undefined ? '' : expiresAt === null ? common.untilNever : `${common.until(formatBoth(expiresAt))}.`
  return (
    <p className="small dim">
      {who} {until} {text.endsWithYou}
    </p>
  )
}
