import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'
import './toasts.css'
import { Button } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { isAway, onReach } from '../api/reach.ts'
import { text } from './messages.ts'

const LONG_MS = 8_000
const SHORT_MS = 4_000

export const Host = () => <Notifications position="bottom-left" limit={3} />

/** Takes back what is shown. */
export const hideAll = (): void => notifications.clean()

/** Returns what hides it. */
export function showDone(message: ReactNode, next?: { label: string; run: () => void }): () => void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join()
  notifications.show({
    id,
    role: 'status',
    color: 'teal',
    icon: <IconCheck size={16} />,
    autoClose: next ? LONG_MS : SHORT_MS,
    closeButtonProps: { 'aria-label': text.close },
    message: next ? (
      <span className="toast-undo">
        {message}
        <Button
          variant="subtle"
          onClick={() => {
            notifications.hide(id)
            next.run()
          }}
        >
          {next.label}
        </Button>
      </span>
    ) : (
      message
    ),
  })
  return () => notifications.hide(id)
}

const UNREACHABLE = 'unreachable'
onReach(() => {
  if (!isAway()) notifications.hide(UNREACHABLE)
})
/** Shown once, until the server responds again. */
export const showUnreachable = (title: string, detail: ReactNode): void => showFailure(title, detail, UNREACHABLE)

export function showFailure(title: string, detail: ReactNode, id?: string): void {
  notifications.show({
    ...(id === undefined ? {} : { id }),
    role: 'alert',
    color: 'danger',
    icon: <IconAlertTriangle size={16} />,
    autoClose: false,
    closeButtonProps: { 'aria-label': text.close },
    title,
    message: detail,
  })
}
