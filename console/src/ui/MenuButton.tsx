// A button with a menu. What menus need is loaded when the first one is opened.
import { ActionIcon, type ActionIconProps, type FloatingPosition } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'

const OpenedMenu = lazy(() => import('./OpenedMenu.tsx'))

interface Props extends Pick<ActionIconProps, 'size'> {
  label: string
  title?: string
  position?: FloatingPosition
  width?: number
  /** `Menu.Item`s, in a component that is loaded when they are shown. */
  items: ReactNode
  children: ReactNode
}

/** The focus returns to the button when its menu closes. */
export function MenuButton({ label, title, size, items, children, ...placed }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  return (
    <span className="menu-around">
      <ActionIcon
        ref={button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        {...(title === undefined ? {} : { title })}
        {...(size === undefined ? {} : { size })}
        onClick={() => setOpen(true)}
      >
        {children}
      </ActionIcon>
      {isOpen ? (
        <Suspense fallback={null}>
          <OpenedMenu label={label} onClose={close} {...placed}>
            {items}
          </OpenedMenu>
        </Suspense>
      ) : null}
    </span>
  )
}
