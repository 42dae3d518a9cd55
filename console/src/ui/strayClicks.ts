/**
 * Keeps the second click of a double click from acting on something else than the first: a choice that closes its list,
 * a folder that opens, or a row that goes, leaves something else under the pointer.
 */
export function ignoreStrayClicks(): void {
  let first: string | Element | null = null
  addEventListener(
    'click',
    (event) => {
      const now = actedOn(event)
      if (event.detail === 1) first = now
      else if (event.detail > 1 && now !== null && now !== first) {
        event.preventDefault()
        event.stopImmediatePropagation()
      }
    },
    true,
  )
}

const ACTS = 'a, button, input, label, select, summary, [role=option], [role=menuitem], [role=row], [role=gridcell]'
/** What a click acts on: a link is its address, because lists reuse their elements. */
function actedOn({ target }: Event): string | Element | null {
  const found = target instanceof Element ? target.closest(ACTS) : null
  if (found instanceof HTMLAnchorElement) return found.href
  return found instanceof HTMLLabelElement ? (found.control ?? found) : found
}
