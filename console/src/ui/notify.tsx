import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { describeProblem } from '../api/problem.ts'
import { text } from './messages.ts'

const UNDO_MS = 8_000
const SHORT_MS = 4_000

/** Short words at the lower left. What went wrong stays until it is closed. */
export const notify = {
  ok(message: ReactNode, undo?: () => void): void {
    const id = crypto.getRandomValues(new Uint32Array(2)).join()
    notifications.show({
      id,
      role: 'status',
      color: 'teal',
      icon: <IconCheck size={16} />,
      autoClose: undo ? UNDO_MS : SHORT_MS,
      closeButtonProps: { 'aria-label': text.close },
      message: undo ? (
        <span className="toast-undo">
          {message}
          <Button
            variant="subtle"
            onClick={() => {
              notifications.hide(id)
              undo()
            }}
          >
            {text.undo}
          </Button>
        </span>
      ) : (
        message
      ),
    })
  },
  problem(error: unknown): void {
    const { title, detail, requestId } = describeProblem(error)
    notify.failure(title, requestId ? `${detail} (${text.requestId} ${requestId})` : detail)
  },
  failure(title: string, detail: ReactNode): void {
    notifications.show({
      role: 'alert',
      color: 'danger',
      icon: <IconAlertTriangle size={16} />,
      autoClose: false,
      closeButtonProps: { 'aria-label': text.close },
      title,
      message: detail,
    })
  },
}
