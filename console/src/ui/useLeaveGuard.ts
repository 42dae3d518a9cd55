import { useBlocker } from '../navigation/useBlocker.ts'
import { confirm } from './confirm.tsx'
import { text } from './messages.ts'

/** Asks before the user leaves a view (or, with `tabs`, its tab) with unsaved changes. */
export const useLeaveGuard = (unsaved: boolean, { tabs = false } = {}): void =>
  useBlocker(unsaved, async (here, next) => {
    const stays = here.pathname === next.pathname && (!tabs || here.search.tab === next.search.tab)
    if (stays) return false
    return !(await confirm({ title: text.leaveTitle, children: text.leaveHint, action: text.leave }))
  })
