/** What names may be, without the library of the schemas: browsers check names with these. */

export const BUCKET_NAME = '^(?!.*\\.\\.)(?!\\d{1,3}(\\.\\d{1,3}){3}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$'
/** Whether a text may name a bucket. */
export const isBucketName = (text: string): boolean =>
  text.length >= 3 && text.length <= 63 && new RegExp(BUCKET_NAME).test(text)

/** What a grant names buckets by: `*` is any run of characters, at most three of them. */
export const BUCKET_PATTERN = '^(?!([^*]*\\*){4})[a-z0-9.*-]{1,63}$'
/** Whether a text may be the bucket pattern of a grant. */
export const isBucketPattern = (text: string): boolean => new RegExp(BUCKET_PATTERN).test(text)

const encoder = new TextEncoder()
/** Length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).length

/** What the formats `object-key` (min 1) and `key-prefix` (min 0) mean: well-formed, no NUL, at most 1024 bytes. */
export const isKeyText = (text: string, min: 0 | 1): boolean =>
  text.length >= min &&
  text.length <= 1024 &&
  text.isWellFormed() &&
  !text.includes('\0') &&
  // No character takes more than three bytes a unit.
  (text.length * 3 <= 1024 || byteLength(text) <= 1024)
