/** Puts a text into the clipboard; also where the page is not secure and there is no clipboard API. */
export async function copyText(value: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(value)
      return true
    }
  } catch {
    // Refused by the browser: the old way may still be allowed.
  }
  const area = document.createElement('textarea')
  area.value = value
  area.setAttribute('readonly', '')
  area.className = 'offscreen'
  const before = document.activeElement
  // Inside of the dialog that is open: it takes the focus away from what is outside.
  const place = before?.closest('[role=dialog]') ?? document.body
  place.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
