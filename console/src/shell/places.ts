import {
  IconBucket,
  IconChartBar,
  IconClipboardList,
  IconDatabase,
  IconHistory,
  IconHome,
  IconIdBadge2,
  IconKey,
  IconLink,
  IconLock,
  IconPlugConnected,
  IconProgress,
  IconRobot,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconSparkles,
  IconTrash,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { useMe } from '../api/queries.ts'
import { text } from './messages.ts'

export interface Place {
  to: string
  label: string
  icon: typeof IconBucket
}

/** The views a user can open. */
export function usePlaces(): { own: Place[]; administration: Place[] } {
  const me = useMe()
  const when = (yes: boolean, ...places: Place[]) => (yes ? places : [])
  return {
    own: [
      { to: '/', label: text.home, icon: IconHome },
      { to: '/buckets', label: text.buckets, icon: IconBucket },
      ...when(me.canSomewhere('share'), { to: '/shares', label: text.shares, icon: IconLink }),
      ...when(me.canSomewhere('policy'), { to: '/policies', label: text.policies, icon: IconHistory }),
      { to: '/jobs', label: text.jobs, icon: IconProgress },
      { to: '/trash', label: text.trash, icon: IconTrash },
      { to: '/tokens', label: text.tokens, icon: IconKey },
      { to: '/agents', label: text.agents, icon: IconSparkles },
      ...when(me.s3 !== null, { to: '/access-keys', label: text.accessKeys, icon: IconPlugConnected }),
    ],
    administration: [
      ...when(me.isAdmin, { to: '/admin/usage', label: text.usage, icon: IconChartBar }),
      ...when(
        me.managesUsers,
        { to: '/admin/users', label: text.users, icon: IconUsers },
        { to: '/admin/groups', label: text.groups, icon: IconShieldLock },
      ),
      ...when(
        me.isAdmin,
        { to: '/admin/protection', label: text.protection, icon: IconShieldCheck },
        { to: '/admin/storages', label: text.storages, icon: IconDatabase },
        { to: '/admin/roles', label: text.roles, icon: IconIdBadge2 },
        { to: '/admin/machine-sessions', label: text.machineSessions, icon: IconRobot },
        { to: '/admin/kms-keys', label: text.kmsKeys, icon: IconLock },
        { to: '/admin/webhooks', label: text.webhooks, icon: IconWebhook },
        { to: '/admin/audit', label: text.audit, icon: IconClipboardList },
        { to: '/admin/settings', label: text.settings, icon: IconSettings },
      ),
    ],
  }
}
