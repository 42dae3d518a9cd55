// Lists of keys as text: one a line, and those that a line cannot have, or that start like them, as JSON strings.
import { ServiceError } from '../../../../contract/errors.ts'

/** Most bytes of a line: six for each of a key's, as JSON has them, and the quotation marks. */
const MOST_LINE = 6 * 1024 + 2

/** A key as a line, with its end. */
export const lineOf = (key: string): string =>
  `${key.startsWith('"') || /[\r\n]/.test(key) ? JSON.stringify(key) : key}\n`

/** The keys in a text that comes in pieces. Throws invalid_request where it is no such list, with the number of the line. */
export async function* keysIn(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let number = 0
  const wrong = (what: string) => new ServiceError('invalid_request', `Line ${number} of the list ${what}.`)
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      number++
      throw wrong('or one after it is not UTF-8')
    }
  }
  const keyOf = (line: string): string | undefined => {
    number++
    if (line.length > MOST_LINE) throw wrong('is longer than a key can be')
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (!text.startsWith('"')) return text === '' ? undefined : text
    try {
      const key: unknown = JSON.parse(text)
      if (typeof key === 'string') return key === '' ? undefined : key
    } catch {}
    throw wrong('starts with a quotation mark and is not a JSON string')
  }
  for await (const bytes of source) {
    const lines = (rest + decoded(bytes)).split('\n')
    rest = lines.pop() ?? ''
    const keys = lines.flatMap((line) => keyOf(line) ?? [])
    if (rest.length > MOST_LINE) keyOf(rest)
    if (keys.length > 0) yield keys
  }
  const last = keyOf(rest + decoded())
  if (last !== undefined) yield [last]
}
