const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/** The kinds of files that an upload link can be limited to, and their types as browsers name them. */
export const fileKinds = {
  pictures: ['image/*'],
  videos: ['video/*'],
  audios: ['audio/*'],
  pdfs: ['application/pdf'],
  office: [
    ...['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint', 'application/rtf'],
    ...[`${OPEN_XML}.wordprocessingml.document`, `${OPEN_XML}.spreadsheetml.sheet`],
    ...[`${OPEN_XML}.presentationml.presentation`, `${OPEN_DOCUMENT}.text`],
    ...[`${OPEN_DOCUMENT}.spreadsheet`, `${OPEN_DOCUMENT}.presentation`],
  ],
  textFiles: ['text/*'],
  archives: [
    ...['application/zip', 'application/x-zip-compressed', 'application/gzip', 'application/x-gzip'],
    ...['application/x-tar', 'application/x-7z-compressed', 'application/vnd.rar', 'application/x-bzip2'],
    ...['application/x-xz', 'application/zstd'],
  ],
} as const satisfies { readonly [kind: string]: readonly string[] }
export type FileKind = keyof typeof fileKinds
export const fileKindNames = Object.keys(fileKinds) as FileKind[]

/** The kinds that these types contain in full, and the types that are of none of them. */
export function kindsOf(types: readonly string[]): { kinds: FileKind[]; others: string[] } {
  const kinds = fileKindNames.filter((kind) => fileKinds[kind].every((type) => types.includes(type)))
  const named = new Set<string>(kinds.flatMap((kind) => fileKinds[kind]))
  return { kinds, others: types.filter((type) => !named.has(type)) }
}
