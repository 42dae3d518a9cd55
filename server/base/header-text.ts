const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const ASCII = /^[\x20-\x7e]*$/

/** A header's value, which Node reads as Latin-1, as the UTF-8 that clients send; undefined if it is not UTF-8. */
export function utf8Of(value: string): string | undefined {
  if (ASCII.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return undefined
  }
}

/**
 * The same for texts that are kept and shown: what is not UTF-8 is read as Latin-1, which HTTP once said of headers. No
 * byte is lost, and none is replaced.
 */
export const keptText = (value: string): string => utf8Of(value) ?? value
