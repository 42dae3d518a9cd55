/** What a file is for whoever looks for it, by its content type. */
export type Kind = 'picture' | 'video' | 'audio' | 'document' | 'archive' | 'other'

const patterns: readonly (readonly [RegExp, Kind])[] = [
  [/^image\//, 'picture'],
  [/^video\//, 'video'],
  [/^audio\//, 'audio'],
  [/^text\/|json|xml|pdf|yaml|rtf|epub|msword|ms-excel|ms-powerpoint|opendocument/, 'document'],
  [/zip|tar|compressed|archive|rar|zstd|x-xz/, 'archive'],
]

export const kinds: readonly Kind[] = [...patterns.map(([, kind]) => kind), 'other']

/** The kind of a content type. */
export function kindOf(contentType: string): Kind {
  const type = contentType.toLowerCase()
  return patterns.find(([pattern]) => pattern.test(type))?.[1] ?? 'other'
}
