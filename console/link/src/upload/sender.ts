/** What a visitor says of themselves; empty where nothing. */
export interface Sender {
  name: string
  message: string
}
const KEY = 'strongroom-link-sender'

/** The name that this browser was given before. */
export function knownName(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}
export function keepName(name: string): void {
  try {
    if (name === '') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, name)
  } catch {
    // No storage: it is asked for again.
  }
}

/** As JSON bodies have it. */
export const senderOf = ({ name, message }: Sender) => ({ name: name.trim() || null, message: message.trim() || null })

/** Headers are sent as Latin-1; the server reads UTF-8. */
const asHeader = (words: string): string => String.fromCharCode(...new TextEncoder().encode(words))

export function headersOf(who: Sender): { [header: string]: string } {
  const { name, message } = senderOf(who)
  return {
    ...(name && { 'x-sender-name': asHeader(name) }),
    ...(message && { 'x-sender-message': asHeader(message) }),
  }
}
