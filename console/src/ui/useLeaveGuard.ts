import { useBlocker } from '@tanstack/react-router'
import { confirm } from './confirm.tsx'
import { text } from './messages.ts'

/** Asks before the user leaves a view (or, with `tabs`, its tab) with unsaved changes. */
export const useLeaveGuard = (unsaved: boolean, { tabs = false } = {}): void =>
  useBlocker({
    disabled: !unsaved,
    enableBeforeUnload: unsaved,
    shouldBlockFn: async ({ current, next }) => {
      const tabOf = (search: unknown) => (search as { tab?: string }).tab
      const stays = current.pathname === next.pathname && (!tabs || tabOf(current.search) === tabOf(next.search))
      if (stays) return false
      return !(await confirm({ title: text.leaveTitle, children: text.leaveHint, action: text.leave }))
    },
  }) as undefined
