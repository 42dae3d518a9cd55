import { Menu } from '@mantine/core'
import { text } from './messages.ts'
import type { Deed } from './SelectionBar.tsx'

export interface MenuPlace {
  x: number
  y: number
}

/** The one menu of all rows, where it was asked for. */
export function RowMenu({ at, deeds, onClose }: { at: MenuPlace; deeds: readonly Deed[]; onClose: () => void }) {
  return (
    <Menu opened onClose={onClose} position="bottom-start" withinPortal returnFocus={false}>
      <Menu.Target>
        <span className="browse-menu-at" style={{ insetInlineStart: at.x, insetBlockStart: at.y }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={text.more}>
        {deeds.map(({ id, label, run }) => (
          <Menu.Item key={id} {...(id === 'delete' ? { color: 'danger' } : {})} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
