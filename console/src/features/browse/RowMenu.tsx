import './row-menu.css'
import { Menu } from '@mantine/core'
import {
  IconArrowRight,
  IconClipboardText,
  IconCopy,
  IconDownload,
  IconFolderOpen,
  IconFolderSymlink,
  IconInfoCircle,
  IconLink,
  IconMaximize,
  IconPencil,
  IconShare3,
  IconTag,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react'
import { type Deed, useKeyOf } from './deed.ts'
import type { Row } from './listing.ts'
import { text } from './messages.ts'

export interface MenuPlace {
  x: number
  y: number
  row: Row
}
const icons: { readonly [id in Deed['id']]: typeof IconCopy } = {
  open: IconInfoCircle,
  about: IconInfoCircle,
  full: IconMaximize,
  reveal: IconFolderSymlink,
  download: IconDownload,
  share: IconShare3,
  rename: IconPencil,
  copy: IconCopy,
  move: IconArrowRight,
  copyLink: IconLink,
  copyKey: IconClipboardText,
  access: IconUsers,
  tag: IconTag,
  delete: IconTrash,
}

/** The rows' shared menu, opened where it was requested. Each action is shown with the key that does the same. */
export default function RowMenu({
  at,
  deeds,
  hasKeys,
  onClose,
}: {
  at: MenuPlace
  deeds: readonly Deed[]
  /** Whether keys act on the same as this menu. */
  hasKeys: boolean
  onClose: () => void
}) {
  const keyOf = useKeyOf()
  const isFolder = at.row.object === null
  // Of a folder, the key for details shows its own.
  const keyFor = (id: Deed['id']): string | undefined =>
    !hasKeys ? undefined : isFolder && id === 'open' ? 'Enter' : keyOf(id)
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
        {deeds.map(({ id, label, run }) => {
          const Icon = isFolder && id === 'open' ? IconFolderOpen : icons[id]
          const key = keyFor(id)
          return (
            <Menu.Item
              key={id}
              {...(id === 'delete' ? { c: 'var(--bad)' } : {})}
              {...(key === undefined ? {} : { 'aria-keyshortcuts': key })}
              leftSection={<Icon size={15} />}
              rightSection={
                key === undefined ? undefined : (
                  <kbd className="row-menu-key" aria-hidden>
                    {key === 'Delete' ? 'Del' : key}
                  </kbd>
                )
              }
              onClick={run}
            >
              {label}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
