import { CLOSE, DIALOG, openedDialogs } from './dialogs.ts'

const FIELD = 'input:not([type=hidden], [type=file], [readonly]), textarea, select'
const MAIN = '.dialog-actions button:last-of-type'
const OTHER = 'a[href], button, [tabindex="0"]'

let last: HTMLElement | undefined
/** The elements around it, from the inside, with their place among their siblings: its form may be shown anew. */
let around: readonly { parent: Element; index: number }[] = []
/** It can no longer have the focus: it has gone, or is disabled. */
let isLost = false
/** Dialogs in which the focus has been where it is useful. */
const settled = new WeakSet<Element>()
/** Dialogs in which the user has pressed something. */
const touched = new WeakSet<Element>()

const isUsable = (one: HTMLElement): boolean =>
  one.isConnected && !one.matches(':disabled, [data-disabled]') && one.checkVisibility()

/** Where the focus of a dialog is useful: what its author has chosen, its first field, or its main action. */
function usefulIn(dialog: HTMLElement): HTMLElement {
  const body = dialog.querySelector('.mantine-Modal-body, .mantine-Drawer-body') ?? dialog
  for (const kind of ['[data-autofocus]', FIELD, MAIN, OTHER])
    for (const found of body.querySelectorAll<HTMLElement>(kind)) {
      const radios = found instanceof HTMLInputElement && found.type === 'radio' ? found.name : ''
      const one = body.querySelector<HTMLElement>(`input[name="${CSS.escape(radios)}"]:checked`) ?? found
      if (isUsable(one)) return one
    }
  dialog.tabIndex = -1
  return dialog
}

function look(): void {
  const active = document.activeElement as HTMLElement | null
  const isNowhere = active === null || active === document.body || active.matches(':disabled')
  if (last && !isUsable(last)) isLost = true
  // A button that is sending gets the focus back once it can be pressed again.
  const isBusy = last?.isConnected && last.matches('[data-loading]')
  const dialog = openedDialogs().at(-1)
  // A dialog's own start can come late, and take the first that it finds.
  const isAtClose = dialog !== undefined && !touched.has(dialog) && dialog.contains(active) && active?.matches(CLOSE)
  if (dialog && isAtClose) usefulIn(dialog).focus({ preventScroll: true })
  if (dialog && !isAtClose && !settled.has(dialog)) {
    if (active && dialog.contains(active) && !isNowhere) settled.add(dialog)
    else if (!active?.closest(DIALOG) || active.closest(DIALOG) === dialog || isNowhere) {
      const useful = usefulIn(dialog)
      useful.focus({ preventScroll: true })
      // What is still being loaded may have something more useful.
      if (useful !== dialog) settled.add(dialog)
    }
    return
  }
  if (!isLost || !isNowhere || isBusy) return
  if (last && isUsable(last)) last.focus({ preventScroll: true })
  else if (dialog) usefulIn(dialog).focus({ preventScroll: true })
  else {
    const form = formOfLast()
    if (!form) return
    form.tabIndex = -1
    form.focus({ preventScroll: true })
  }
}

/** The form that had the focus, also if it is another element by now. */
function formOfLast(): HTMLFormElement | undefined {
  const form = around.find(({ parent }) => parent instanceof HTMLFormElement)?.parent
  if (!(form instanceof HTMLFormElement)) return undefined
  if (form.isConnected) return form
  const kept = around.find(({ parent }) => parent.isConnected && parent.closest('main'))
  const again = kept?.parent.children[kept.index]
  return again instanceof HTMLFormElement ? again : (again?.querySelector('form') ?? undefined)
}
function placesOf(element: Element): typeof around {
  const places: { parent: Element; index: number }[] = []
  for (let one = element; one.parentElement; one = one.parentElement)
    places.push({ parent: one.parentElement, index: [...one.parentElement.children].indexOf(one) })
  return places
}

/**
 * Keeps the focus where the keyboard is of use. A dialog starts with it on its first field or its main action, never on
 * ×. Whoever's button goes or is disabled by what it did has it in the same dialog or form, not nowhere.
 */
export function keepFocus(): void {
  let isPlanned = false
  const plan = () => {
    if (isPlanned) return
    isPlanned = true
    // After whatever gives it a place of its own.
    setTimeout(() => {
      isPlanned = false
      look()
    }, 30)
  }
  const chosen = ({ target }: Event) => {
    const dialog = target instanceof Element ? target.closest(DIALOG) : null
    if (dialog) touched.add(dialog)
  }
  addEventListener(
    'pointerdown',
    (event) => {
      chosen(event)
      last = undefined
      isLost = false
    },
    true,
  )
  addEventListener('keydown', chosen, true)
  addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && !(target instanceof HTMLFormElement)) {
      last = target
      around = target.closest('form') ? placesOf(target) : []
      isLost = false
    }
    plan()
  })
  new MutationObserver(plan).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'data-loading', 'data-disabled'],
  })
}
