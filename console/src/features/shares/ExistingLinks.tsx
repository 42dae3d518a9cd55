import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Share } from '../../../../contract/shares.ts'
import { TimeAgo } from '../../ui/values.tsx'
import { kindOf } from './describe.ts'
import { text } from './messages.ts'
import type { Target } from './NewLink.tsx'
import { linksToQuery } from './queries.ts'
import { revoke } from './revoke.tsx'

/** The active links to the shared item, to copy again, and to revoke those no longer needed. */
export function ExistingLinks({
  target,
  onShow,
}: {
  target: Exclude<Target, { kind: 'selection' }>
  onShow: (share: Share) => void
}) {
  const cache = useQueryClient()
  const links = useQuery(
    linksToQuery(target.bucket, target.kind === 'object' ? { key: target.key } : { prefix: target.prefix }),
  )
  if (!links.data || links.data.length === 0) return null
  return (
    <section className="stack-tight" aria-label={text.existing}>
      <h3 className="shares-label">{text.existing}</h3>
      <ul className="shares-existing">
        {links.data.map((share) => (
          <li key={share.id}>
            <span className="grow">
              {share.kind === 'upload' ? `${kindOf(share)}, ` : ''}
              <TimeAgo time={share.created_at} />
              {', '}
              {share.expires_at ? (
                <>
                  {text.expiring} <TimeAgo time={share.expires_at} />
                </>
              ) : (
                text.endsNever
              )}
              {share.has_password ? `, ${text.hasPassword}` : ''}
              <span className="dim">
                {' · '}
                {share.created_by_email}
              </span>
            </span>
            {share.has_link ? (
              <Button variant="subtle" onClick={() => onShow(share)}>
                {text.showLink}
              </Button>
            ) : null}
            <Button variant="subtle" color="danger" onClick={() => void revoke(cache, share)}>
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
