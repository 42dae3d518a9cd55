import './palette.css'
import { Modal, TextInput, useMantineColorScheme } from '@mantine/core'
import {
  IconBucket,
  IconClock,
  IconDatabaseImport,
  IconHistory,
  IconInbox,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlugConnected,
  IconSearch,
  IconShare3,
  IconSun,
  IconUpload,
  IconWebhook,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { bucketsQuery, isReadOnly } from '../api/buckets.ts'
import { useMe } from '../api/queries.ts'
import { signOut } from '../features/account/signOut.ts'
import { text as everywhere } from '../features/search/messages.ts'
import { openUpload } from '../features/uploads/open.ts'
import { legible } from '../keys.ts'
import { useView } from '../navigation/useView.ts'
import { recentPlaces, rememberPlace } from '../recent-places.ts'
import { text } from './messages.ts'
import type { Place } from './places.ts'
import { type Found, useFound } from './search-results.ts'

interface Item {
  id: string
  label: string
  hint?: string | undefined
  icon: typeof IconClock
  run: () => void
}

/** Opens a view, a bucket, an object, a person and so on by a part of its name, or does something. */
export default function Palette({
  places,
  onClose,
  onSheet,
}: {
  places: readonly Place[]
  onClose: () => void
  onSheet: () => void
}) {
  const { go, params, search } = useView()
  const me = useMe()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const wanted = typed.trim().toLowerCase()
  const { sections, isFetching } = useFound(typed, params.bucket)
  const actions = useActions({ bucket: params.bucket, prefix: search.prefix ?? '', onSheet })
  const toItem = ({ to, search, label, hint, icon }: Found): Item => ({
    id: JSON.stringify([to, search]),
    label,
    hint,
    icon,
    run: () => {
      rememberPlace(me.id, { to, label, ...(search ? { search } : {}) })
      onClose()
      void go(to, search)
    },
  })
  const has = ({ label }: { label: string }) => label.toLowerCase().includes(wanted)
  const recent = wanted === '' ? recentPlaces(me.id).map((place) => ({ ...place, icon: IconClock })) : []
  const pages = { title: text.pages, items: places.filter(has).map(toItem) }
  const listed = sections.map(({ title, found }) => ({ title, items: found.map(toItem) }))
  const doable = {
    title: text.actions,
    items: actions.filter(has).map((item) => ({
      ...item,
      run: () => {
        onClose()
        item.run()
      },
    })),
  }
  const all = {
    title: everywhere.title,
    items:
      wanted === ''
        ? []
        : [
            toItem({
              to: '/search',
              search: { q: typed.trim() },
              label: everywhere.allFor(legible(typed.trim())),
              icon: IconSearch,
            }),
          ],
  }
  const shown: { title: string; items: Item[] }[] = [
    { title: text.recent, items: recent.map(toItem).map((item) => ({ ...item, id: `recent ${item.id}` })) },
    // What is beside the palette anyway comes last, until something is asked for.
    ...(wanted === '' ? [doable, ...listed, pages] : [pages, ...listed, doable, all]),
  ].filter(({ items }) => items.length > 0)
  const items = shown.flatMap((section) => section.items)
  const chosen = Math.min(at, items.length - 1)
  const move = (by: number) => {
    const next = (chosen + by + items.length) % items.length
    setAt(next)
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Modal opened onClose={onClose} title={text.search} size="lg" centered={false} yOffset="16dvh">
      <div className="palette">
        <TextInput
          data-autofocus
          aria-label={text.bucketsMore}
          placeholder={text.bucketsMore}
          leftSection={<IconSearch size={15} />}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={items.length > 0 ? `${list}-${chosen}` : undefined}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault()
              if (items.length > 0) move(event.key === 'ArrowDown' ? 1 : -1)
            } else if (event.key === 'Enter') {
              event.preventDefault()
              items[chosen]?.run()
            }
          }}
        />
        <p className="dim palette-none" role="status">
          {items.length === all.items.length ? (isFetching ? text.searching : text.noCommand) : ''}
        </p>
        <div id={list} role="listbox" aria-label={text.search} tabIndex={-1}>
          {shown.map(({ title, items: some }) => (
            <fieldset key={title} aria-label={title}>
              <div className="palette-title" aria-hidden>
                {title}
              </div>
              {some.map((item) => {
                const i = items.indexOf(item)
                const { icon: Icon } = item
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
                  <div
                    key={item.id}
                    id={`${list}-${i}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={i === chosen}
                    onClick={item.run}
                    onPointerMove={() => setAt(i)}
                  >
                    <Icon size={16} stroke={1.6} aria-hidden />
                    <span className="clip">{item.label}</span>
                    {item.hint && item.hint !== item.label ? <span className="clip dim">{item.hint}</span> : null}
                  </div>
                )
              })}
            </fieldset>
          ))}
        </div>
      </div>
    </Modal>
  )
}

/** What can be done from anywhere, and in the open bucket. */
function useActions({
  bucket,
  prefix,
  onSheet,
}: {
  bucket: string | undefined
  prefix: string
  onSheet: () => void
}): Item[] {
  const me = useMe()
  const { go } = useView()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const here = useQuery(bucketsQuery).data?.find(({ name }) => name === bucket)
  const isDark = colorScheme === 'dark'
  const opens = (label: string, to: string, icon: typeof IconClock, search: Record<string, string> = {}): Item => ({
    id: label,
    label,
    icon,
    run: () => void go(to, search),
  })
  const when = (yes: boolean, ...items: Item[]) => (yes ? items : [])
  return [
    opens(everywhere.field, '/search', IconSearch),
    ...when(here !== undefined && !isReadOnly(here) && me.can('write', here.name, prefix), {
      id: 'upload',
      label: text.uploadHere,
      hint: `${bucket}/${prefix}`,
      icon: IconUpload,
      run: () => void openUpload({ bucket: bucket ?? '', prefix }),
    }),
    ...when(me.canSomewhere('share'), opens(text.newLink, '/shares', IconShare3, { pick: 'give' })),
    ...when(me.canSomewhere('share'), opens(text.requestFiles, '/shares', IconInbox, { pick: 'take' })),
    ...when(me.canSomewhere('create'), opens(text.newBucket, '/buckets', IconBucket, { new: '1' })),
    ...when(me.canSomewhere('policy'), opens(text.newPolicy, '/policies/new', IconHistory)),
    ...when(me.s3 !== null, opens(text.newAccessKey, '/access-keys/new', IconPlugConnected)),
    ...when(
      me.isAdmin,
      opens(text.newWebhook, '/admin/webhooks/new', IconWebhook),
      opens(text.attachBucket, '/buckets/attach', IconDatabaseImport),
    ),
    {
      id: 'scheme',
      label: isDark ? text.toLight : text.toDark,
      icon: isDark ? IconSun : IconMoon,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { id: 'sheet', label: text.shortcuts, icon: IconKeyboard, run: onSheet },
    { id: 'out', label: text.signOut, icon: IconLogout, run: () => void signOut() },
  ]
}
