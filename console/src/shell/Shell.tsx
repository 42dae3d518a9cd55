import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import {
  IconBucket,
  IconChartBar,
  IconClipboardList,
  IconHistory,
  IconKey,
  IconLink,
  IconLogout,
  IconMenu2,
  IconProgress,
  IconSettings,
  IconShieldLock,
  IconTrash,
  IconUser,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { onlineManager } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useMe } from '../api/queries.ts'
import { client, leaveEverywhere } from '../api/session.ts'
import { useView } from '../router.tsx'
import { Confirmations } from '../ui/confirm.tsx'
import { Mark } from '../ui/Mark.tsx'
import { notify } from '../ui/notify.tsx'
import { startBackground } from './background.ts'
import { Corner } from './corner.tsx'
import { Keys } from './Keys.tsx'
import { text } from './messages.ts'
import { Scheme } from './Scheme.tsx'

type Icon = typeof IconBucket
interface Place {
  to: string
  label: string
  icon: Icon
}

/** Where somebody may go: what they may not do is not offered. */
export function usePlaces(): { own: Place[]; administration: Place[] } {
  const me = useMe()
  const when = (yes: boolean, ...places: Place[]) => (yes ? places : [])
  return {
    own: [
      { to: '/buckets', label: text.buckets, icon: IconBucket },
      ...when(me.canSomewhere('share'), { to: '/shares', label: text.shares, icon: IconLink }),
      ...when(me.canSomewhere('policy'), { to: '/policies', label: text.policies, icon: IconHistory }),
      { to: '/jobs', label: text.jobs, icon: IconProgress },
      { to: '/trash', label: text.trash, icon: IconTrash },
      { to: '/tokens', label: text.tokens, icon: IconKey },
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
        { to: '/admin/webhooks', label: text.webhooks, icon: IconWebhook },
        { to: '/admin/audit', label: text.audit, icon: IconClipboardList },
        { to: '/admin/settings', label: text.settings, icon: IconSettings },
      ),
    ],
  }
}

/** The frame of all views for people who are signed in. */
export default function Shell({ children }: { children: ReactNode }) {
  const { pathname } = useView()
  const [open, setOpen] = useState(false)
  const { own, administration } = usePlaces()
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view closes the menu
  useEffect(() => setOpen(false), [pathname])
  const { id } = useMe()
  useEffect(() => startBackground(id), [id])
  return (
    <div className="shell" data-open={open || undefined}>
      <a className="skip" href="#content">
        {text.skip}
      </a>
      <header className="bar">
        <ActionIcon
          className="menu-button"
          aria-label={text.menu}
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <IconMenu2 size={18} />
        </ActionIcon>
        <Link to="/buckets" className="mark">
          <Mark size={22} />
          <span>{text.product}</span>
        </Link>
        <span className="grow" />
        <Corner />
        <Keys places={[...own, ...administration]} />
        <Scheme />
        <Account />
      </header>
      <nav className="nav" aria-label={text.navigation}>
        <Places places={own} />
        {administration.length > 0 ? (
          <>
            <h2 className="nav-label">{text.administration}</h2>
            <Places places={administration} />
          </>
        ) : null}
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {online ? null : (
          <p className="banner" role="status">
            {text.offline}
          </p>
        )}
        {children}
      </main>
      <Confirmations />
    </div>
  )
}

function Places({ places }: { places: readonly Place[] }) {
  const { pathname } = useView()
  // The pages of a bucket belong to the buckets.
  const isIn = (to: string) => to === '/buckets' && pathname.startsWith('/b/')
  return (
    <ul>
      {places.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Tooltip label={label} position="right" classNames={{ tooltip: 'nav-tip' }}>
            <Link
              to={to}
              className={isIn(to) ? 'nav-link active' : 'nav-link'}
              activeProps={{ className: 'nav-link active' }}
            >
              <Icon size={17} stroke={1.6} aria-hidden />
              <span>{label}</span>
            </Link>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}

/** Ends the session on the server; the page forgets everything with it. */
export async function signOut(): Promise<void> {
  try {
    await client.logout()
  } catch (error) {
    notify.problem(error)
    return
  }
  leaveEverywhere()
  location.assign('/console/login')
}

function Account() {
  const me = useMe()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label={text.account}>
          <IconUser size={17} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="account-name">{me.display_name}</span>
          <span className="account-mail">{me.email}</span>
        </Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={15} />}>
          {text.account}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<IconClipboardList size={15} />}>
          {text.apiPages}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
          {text.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
