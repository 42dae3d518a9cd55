import './palette.css'
import { Modal, TextInput } from '@mantine/core'
import { IconArrowRight, IconBucket, IconKeyboard, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { bucketsQuery } from '../api/buckets.ts'
import { useView } from '../navigation.ts'
import { text } from './messages.ts'
import type { Place } from './places.ts'

const MOST = 50

/** Opens a view or bucket by a part of its name. */
export default function Palette({
  places,
  onClose,
  onSheet,
}: {
  places: readonly Place[]
  onClose: () => void
  onSheet: () => void
}) {
  const { go } = useView()
  const buckets = useQuery(bucketsQuery)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const wanted = typed.trim().toLowerCase()
  const to = (path: string) => () => {
    onClose()
    void go(path)
  }
  const found = [
    ...places.map((place) => ({ ...place, icon: IconArrowRight, run: to(place.to) })),
    ...(buckets.data ?? []).map(({ name }) => ({
      to: `/b/${name}`,
      label: name,
      icon: IconBucket,
      run: to(`/b/${name}`),
    })),
    { to: '?', label: text.shortcuts, icon: IconKeyboard, run: onSheet },
  ]
    .filter(({ label }) => label.toLowerCase().includes(wanted))
    .slice(0, MOST)
  const chosen = Math.min(at, found.length - 1)
  const move = (by: number) => {
    const next = (chosen + by + found.length) % found.length
    setAt(next)
    document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Modal opened onClose={onClose} title={text.search} size="lg">
      <div className="palette">
        <TextInput
          data-autofocus
          aria-label={text.bucketsMore}
          placeholder={text.bucketsMore}
          leftSection={<IconSearch size={15} />}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault()
              if (found.length > 0) move(event.key === 'ArrowDown' ? 1 : -1)
            } else if (event.key === 'Enter') {
              event.preventDefault()
              found[chosen]?.run()
            }
          }}
        />
        {found.length === 0 ? <p className="dim">{text.noCommand}</p> : null}
        <div id={list} role="listbox" aria-label={text.search} tabIndex={-1}>
          {found.map(({ to: path, label, icon: Icon, run }, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
            <div
              key={path}
              id={`${list}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === chosen}
              onClick={run}
              onPointerMove={() => setAt(i)}
            >
              <Icon size={16} stroke={1.6} aria-hidden />
              <span className="clip">{label}</span>
            </div>
          ))}
        </div>
      </div>
    </Modal>
  )
}
