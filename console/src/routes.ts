import type { ComponentType } from 'react'

/** A view at an address below `/console`. `:name` in a path is a parameter. */
export interface View {
  path: string
  /** The module with the view as its default export, loaded on demand. */
  load: () => Promise<{ default: ComponentType }>
  /** What it says is loaded with the frame, so that it does not wait for other views' texts. */
  inFrame?: boolean
  /** Shown without the frame to users who are not signed in. */
  open?: boolean
  /** It keeps how far it is scrolled itself: the same pixels would be another place in it. */
  keepsScroll?: boolean
}
