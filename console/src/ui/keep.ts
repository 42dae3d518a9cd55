import { keepFocus } from './keepFocus.ts'
import { keepTyped } from './keepTyped.ts'

/** Keeps the focus where it is of use, and what was typed in dialogs. */
export function keep(): void {
  keepFocus()
  keepTyped()
}
