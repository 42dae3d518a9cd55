import type { QueryClient } from '@tanstack/react-query'
import type { Share } from '../../../../contract/shares.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { nameOf } from './describe.ts'
import { text } from './messages.ts'

/** Revokes a link after a confirmation. */
export async function revoke(cache: QueryClient, share: Share): Promise<void> {
  const sure = await confirm({
    title: text.revokeTitle,
    children: text.revokeText(nameOf(share)),
    action: text.revokeAction,
  })
  if (!sure) return
  try {
    await client.revokeShare({ params: { id: share.id } })
    notify.ok(text.revokedNote)
  } catch (error) {
    notify.problem(error)
  }
  await cache.invalidateQueries({ queryKey: ['shares'] })
}
