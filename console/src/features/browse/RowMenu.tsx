import { Menu } from '@mantine/core'
import type { Row } from './listing.ts'
import { text } from './messages.ts'
import type { Deed } from './SelectionBar.tsx'

export interface MenuPlace {
  x: number
  y: number
  row: Row
}

/** The rows' shared menu, opened where it was requested. */
export default function RowMenu({
  at,
  deeds,
  onClose,
}: {
  at: MenuPlace
  deeds: readonly Deed[]
  onClose: () => void
}) {
  return (
    <Menu opened onClose={onClose} position="bottom-start" returnFocus={false}>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          className="browse-menu-at"
          aria-label={text.more}
          style={{ insetInlineStart: at.x, insetBlockStart: at.y }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={text.more}>
        {deeds.map(({ id, label, run }) => (
          <Menu.Item key={id} {...(id === 'delete' ? { c: 'var(--bad)' } : {})} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
