import { confirm } from './confirm.tsx'
import { CLOSE, DIALOG, openedDialogs } from './dialogs.ts'
import { text } from './messages.ts'

const OVERLAY = '.mantine-Modal-overlay, .mantine-Drawer-overlay'
const FIELD = 'input:not([type=hidden], [type=file], [type=radio], [type=checkbox]), textarea'

/** Forms in dialogs in which something was typed. A single field, such as a name or a search, is soon typed again. */
const typed = new WeakSet<HTMLFormElement>()

/**
 * Asks before Escape or a click beside a dialog loses what was typed in it. Of dialogs above one another, Escape closes
 * the upper one only.
 */
export function keepTyped(): void {
  const close = (dialog: HTMLElement | undefined) => dialog?.querySelector<HTMLElement>(CLOSE)?.click()
  const hasTyped = (dialog: HTMLElement) => [...dialog.querySelectorAll('form')].some((form) => typed.has(form))
  const ask = async (dialog: HTMLElement) => {
    if (await confirm({ title: text.leaveTitle, children: text.leaveHint, action: text.leave })) close(dialog)
  }
  addEventListener(
    'input',
    ({ target }) => {
      const form = target instanceof Element && target.closest(DIALOG) ? target.closest('form') : null
      if (form && form.querySelectorAll(FIELD).length > 1) typed.add(form)
    },
    true,
  )
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing) return
      // It closes a list of choices first.
      const { target } = event
      if (target instanceof Element && target.matches('[data-mantine-stop-propagation=true], [aria-expanded=true]'))
        return
      const dialogs = openedDialogs()
      const upper = dialogs.at(-1)
      // Without ×, it is not closed by Escape either.
      if (!upper?.querySelector(CLOSE)) return
      if (hasTyped(upper)) void ask(upper)
      else if (dialogs.length > 1) close(upper)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    true,
  )
  addEventListener(
    'click',
    (event) => {
      const upper = openedDialogs().at(-1)
      if (!upper || !(event.target instanceof Element) || !event.target.matches(OVERLAY) || !hasTyped(upper)) return
      event.stopImmediatePropagation()
      void ask(upper)
    },
    true,
  )
}
