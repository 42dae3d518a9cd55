/** What names may be, without the library of the schemas: browsers check names with these. */

export const BUCKET_NAME = '^(?!.*\\.\\.)(?!\\d{1,3}(\\.\\d{1,3}){3}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$'
/** Whether a text may name a bucket. */
export const isBucketName = (text: string): boolean =>
  text.length >= 3 && text.length <= 63 && new RegExp(BUCKET_NAME).test(text)

const encoder = new TextEncoder()
/** Length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).length

/** What the formats `object-key` (min 1) and `key-prefix` (min 0) mean: well-formed, no NUL, at most 1024 bytes. */
export const isKeyText = (text: string, min: 0 | 1): boolean =>
  text.length >= min && text.isWellFormed() && !text.includes('\0') && byteLength(text) <= 1024
