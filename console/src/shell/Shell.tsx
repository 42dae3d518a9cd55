import { ActionIcon } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { onlineManager } from '@tanstack/react-query'
import { lazy, type MouseEvent, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useMe } from '../api/queries.ts'
import { Link } from '../navigation/Link.tsx'
import { useView } from '../navigation/useView.ts'
import { Confirmations } from '../ui/confirm.tsx'
import { Corner } from '../ui/corner.tsx'
import { Brand } from '../ui/Mark.tsx'
import { MenuButton } from '../ui/MenuButton.tsx'
import { Scheme } from '../ui/Scheme.tsx'
import { useAway } from '../ui/useAway.ts'
import { useMedia } from '../ui/useMedia.ts'
import { startBackground } from './background.ts'
import { Keys } from './Keys.tsx'
import { text } from './messages.ts'
import { Notices } from './Notices.tsx'
import { type Place, usePlaces } from './places.ts'

const AccountItems = lazy(() => import('./AccountItems.tsx'))

/** The frame of all views for signed-in users. */
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
  const isAway = useAway()
  const button = useRef<HTMLButtonElement>(null)
  const nav = useRef<HTMLElement>(null)
  // On narrow screens the open menu covers the view.
  const covers = useMedia('(max-width: 800px)') && open
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  useEffect(() => {
    if (!covers) return
    nav.current?.querySelector<HTMLElement>('.nav-link')?.focus()
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
      button.current?.focus()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [covers])
  return (
    <div className="shell" data-open={open || undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the view, and to the rows of one that is a list */}
      <a className="skip" href="#content" onClick={skipToList}>
        {text.skip}
      </a>
      <header className="bar">
        <ActionIcon
          ref={button}
          className="menu-button"
          aria-label={text.menu}
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <IconMenu2 size={18} />
        </ActionIcon>
        <Link to="/" className="mark">
          <Brand size={22} />
        </Link>
        <span className="grow" />
        <Corner />
        <Keys places={[...own, ...administration]} />
        <Scheme />
        <Account />
      </header>
      {covers ? (
        <button type="button" className="nav-scrim" tabIndex={-1} aria-label={text.closeMenu} onClick={close} />
      ) : null}
      <nav ref={nav} className="nav" aria-label={text.navigation}>
        <Places places={own} />
        {administration.length > 0 ? (
          <>
            <h2 className="nav-label">{text.administration}</h2>
            <Places places={administration} />
          </>
        ) : null}
      </nav>
      <main id="content" className="content" tabIndex={-1} inert={covers}>
        {online && !isAway ? null : (
          <p className="banner" role="status">
            {text.offline}
          </p>
        )}
        <Notices />
        {children}
      </main>
      <Confirmations />
    </div>
  )
}

/** Where the view is a list, its rows are what people skip to. */
function skipToList(event: MouseEvent) {
  const list = document.querySelector<HTMLElement>('#content [role="grid"]')
  if (!list) return
  event.preventDefault()
  list.focus()
}

function Places({ places }: { places: readonly Place[] }) {
  const { pathname } = useView()
  // A bucket's pages belong to the buckets.
  const isIn = (to: string) => to === '/buckets' && pathname.startsWith('/b/')
  return (
    <ul>
      {places.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Link to={to} className={isIn(to) ? 'nav-link active' : 'nav-link'}>
            <Icon size={17} stroke={1.6} aria-hidden />
            <span>{label}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** `MS` for “Maria Sklodowska” or `maria.sklodowska@example.com`. */
const initialsOf = (name: string): string =>
  (name.split('@', 1)[0] ?? '')
    .split(/[\s._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => [...part][0]?.toUpperCase() ?? '')
    .join('')

function Account() {
  const me = useMe()
  return (
    <MenuButton label={text.account} title={me.email} position="bottom-end" width={240} items={<AccountItems />}>
      <span className="initials" data-initials={initialsOf(me.display_name || me.email)} />
    </MenuButton>
  )
}
