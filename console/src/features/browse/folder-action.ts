import type { IconDots } from '@tabler/icons-react'

/** What can be done in a folder. */
export interface FolderAction {
  label: string
  Icon: typeof IconDots
  run: () => void
  /** Its icon says enough. */
  bare?: boolean
}
