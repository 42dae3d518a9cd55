const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * A header's value without the spaces and tabs around it (RFC 9110 section 5.5). Not `trim()`: in a text of single bytes,
 * as Node has headers, that also takes the byte A0, with which letters end in UTF-8 (`à`, `Р`, `张`).
 */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
