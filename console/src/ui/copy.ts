/** Copies a text to the clipboard, also in insecure contexts without a clipboard API. */
export async function copyText(value: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(value)
      return true
    }
  } catch {
    // Denied by the browser: the old way may still work.
  }
  const area = document.createElement('textarea')
  area.value = value
  area.setAttribute('readonly', '')
  area.className = 'offscreen'
  const before = document.activeElement
  // Inside an open dialog, which keeps the focus from elements outside.
  const place = before?.closest('[role=dialog]') ?? document.body
  place.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
