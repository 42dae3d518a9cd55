import type { UseQueryResult } from '@tanstack/react-query'
import { type MouseEvent, useState } from 'react'
import { pause } from '../../../../../client/pause.ts'
import type { ShareInfo } from '../../../../../contract/shares.ts'
import { statusOf } from '../../../api/problem.ts'

/** When to look whether a download has been counted. */
const COUNTED_MS = [500, 1500, 4000]

/**
 * Downloads through a limited link. A browser says nothing of a download that is refused, so this asks first whether one
 * is left, and afterwards how many are.
 */
export function useLimited(link: UseQueryResult<ShareInfo>) {
  const [tookLast, setTookLast] = useState(false)
  const look = async () => {
    const { data, error } = await link.refetch()
    return statusOf(error) === 410 ? 0 : data?.downloads_left
  }
  const take = async (event: MouseEvent<HTMLAnchorElement>) => {
    event.preventDefault()
    const { href, download } = event.currentTarget
    const before = await look()
    if (before === 0) return
    const anchor = document.createElement('a')
    anchor.href = href
    anchor.download = download
    anchor.click()
    for (const ms of COUNTED_MS) {
      await pause(ms)
      const left = await look()
      if (left === 0) setTookLast(before === 1)
      if (left !== before) return
    }
  }
  return { take: (event: MouseEvent<HTMLAnchorElement>) => void take(event), tookLast }
}
/** How a page's downloads are started; undefined: the browser follows the link. */
export type Take = ReturnType<typeof useLimited>['take'] | undefined
