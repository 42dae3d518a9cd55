import { type FloatingPosition, Menu } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  label: string
  position?: FloatingPosition
  width?: number
  onClose: () => void
  children: ReactNode
}

/** A menu's items, over the button that opened it, which is covered: another click there closes the menu. */
export default function OpenedMenu({ label, position = 'bottom-start', width, onClose, children }: Props) {
  return (
    <Menu opened onClose={onClose} position={position} returnFocus={false} {...(width === undefined ? {} : { width })}>
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-hidden className="menu-cover" />
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
    </Menu>
  )
}
