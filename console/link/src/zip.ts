import { contentsUrl } from './api.ts'

/** The server reads forms of 64 KiB. */
const MOST_BYTES = 65_536

let frames = 0

const fieldsOf = (names: readonly string[]) => new URLSearchParams(names.map((name) => ['path', name]))

/** Whether this many names fit into one request. */
export const fitsZip = (names: readonly string[]): boolean => fieldsOf(names).toString().length <= MOST_BYTES

/**
 * Has the browser save a zip of files and folders: a form, whose answer goes to disk while it arrives. It is sent from a frame, so
 * that the page stays if something else than a zip comes back; `onRefused` is called then.
 */
export function saveZip(names: readonly string[], onRefused: () => void): void {
  const frame = document.createElement('iframe')
  frame.name = `zip ${++frames}`
  frame.hidden = true
  document.body.append(frame)
  frame.addEventListener('load', () => {
    // The first, empty page of the frame, in some browsers; a download loads none.
    if (frame.contentDocument?.URL !== 'about:blank') onRefused()
  })
  const form = document.createElement('form')
  form.method = 'post'
  form.action = contentsUrl({}, '/archive')
  form.target = frame.name
  form.hidden = true
  for (const [name, value] of fieldsOf(names)) {
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = name
    field.value = value
    form.append(field)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
