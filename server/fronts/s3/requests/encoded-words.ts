// RFC 2047: texts in headers as ASCII. AWS documents it for user metadata
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html#UserMetadata): SDKs read headers as ASCII or
// Latin-1, so bytes of UTF-8 arrive garbled.

const PRINTABLE = /^[\x20-\x7e]*$/
/** An encoded word has at most 75 characters (RFC 2047 section 2): with this charset and Base64, 45 bytes of a text. */
const MOST_BYTES = 45

/** A text as it is sent in a header: ASCII, or encoded words. */
export function encodeWords(text: string): string {
  if (PRINTABLE.test(text)) return text
  const words: Buffer[][] = [[]]
  let bytes = 0
  for (const character of text) {
    const one = Buffer.from(character)
    if (bytes + one.length > MOST_BYTES) {
      words.push([])
      bytes = 0
    }
    words.at(-1)?.push(one)
    bytes += one.length
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.concat(word).toString('base64')}?=`).join(' ')
}

const WORD = /^=\?UTF-8\?B\?([A-Za-z0-9+/]+={0,2})\?=$/

/**
 * What encoded words say, if encoding it again gives the same; any other text unchanged. So a client reads back what it
 * sent, and metadata that is copied from one service to another by a client stays the same text.
 */
export function decodeWords(text: string): string {
  if (!text.startsWith('=?UTF-8?B?')) return text
  const words = text.split(' ').map((word) => WORD.exec(word)?.[1])
  if (words.includes(undefined)) return text
  const decoded = words.map((word) => Buffer.from(word ?? '', 'base64').toString()).join('')
  return encodeWords(decoded) === text && !/\p{Cc}/u.test(decoded) ? decoded : text
}
