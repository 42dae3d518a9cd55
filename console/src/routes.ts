import type { ComponentType } from 'react'

/** A view at an address below `/console`. `$name` in a path is a parameter. */
export interface View {
  path: string
  /** The module whose default export is the view; fetched when it is first opened. */
  load: () => Promise<{ default: ComponentType }>
  /** Shown to people who are not signed in, without the frame. */
  open?: boolean
}
