/** What a file is for whoever looks for it, by its content type. */
export type Kind = 'picture' | 'video' | 'audio' | 'document' | 'archive' | 'other'

const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/**
 * The kinds of files that an upload link can be limited to: their types as browsers name them, and the kind that a search
 * finds their files by. The first whose `named` fits decides, and recognizes more types than a link would be limited to.
 */
const list = {
  pictures: { kind: 'picture', types: ['image/*'], named: /^image\// },
  videos: { kind: 'video', types: ['video/*'], named: /^video\// },
  audios: { kind: 'audio', types: ['audio/*'], named: /^audio\// },
  pdfs: { kind: 'document', types: ['application/pdf'], named: /pdf/ },
  office: {
    kind: 'document',
    types: [
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      'application/rtf',
      `${OPEN_XML}.wordprocessingml.document`,
      `${OPEN_XML}.spreadsheetml.sheet`,
      `${OPEN_XML}.presentationml.presentation`,
      `${OPEN_DOCUMENT}.text`,
      `${OPEN_DOCUMENT}.spreadsheet`,
      `${OPEN_DOCUMENT}.presentation`,
    ],
    named: /rtf|epub|msword|ms-excel|ms-powerpoint|opendocument/,
  },
  textFiles: { kind: 'document', types: ['text/*'], named: /^text\/|json|xml|yaml/ },
  archives: {
    kind: 'archive',
    types: [
      'application/zip',
      'application/x-zip-compressed',
      'application/gzip',
      'application/x-gzip',
      'application/x-tar',
      'application/x-7z-compressed',
      'application/vnd.rar',
      'application/x-bzip2',
      'application/x-xz',
      'application/zstd',
    ],
    named: /zip|tar|compressed|archive|rar|zstd|x-xz/,
  },
} as const satisfies {
  readonly [name: string]: { readonly kind: Kind; readonly types: readonly string[]; readonly named: RegExp }
}

/** A kind that an upload link can be limited to. */
export type FileKind = keyof typeof list
export const fileKinds = Object.keys(list) as FileKind[]
const rows = Object.values(list)

/** The kinds that a search can be limited to. */
export const kinds: readonly Kind[] = [...new Set(rows.map(({ kind }) => kind)), 'other']

/** The kind of a content type. */
export function kindOf(contentType: string): Kind {
  const type = contentType.toLowerCase()
  return rows.find(({ named }) => named.test(type))?.kind ?? 'other'
}

/** The types of a kind, as browsers name them. */
export const typesOf = (kind: FileKind): readonly string[] => list[kind].types

/** The kinds that these types contain in full, and the types that are of none of them. */
export function kindsOf(types: readonly string[]): { kinds: FileKind[]; others: string[] } {
  const found = fileKinds.filter((kind) => typesOf(kind).every((type) => types.includes(type)))
  const named = new Set(found.flatMap(typesOf))
  return { kinds: found, others: types.filter((type) => !named.has(type)) }
}
