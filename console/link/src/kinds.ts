import { kindsOf } from '../../../contract/kinds.ts'
import { text } from './language.ts'

/** How a file is shown: in which viewer, with which icon. */
export type Family = 'picture' | 'video' | 'audio' | 'pdf' | 'text' | 'archive' | 'document' | 'other'

/** Types that the image proxy renders. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/tiff']
const FILMS = ['video/mp4', 'video/webm']
const SOUNDS = ['audio/mpeg', 'audio/ogg', 'audio/wav']
const TEXTS =
  /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|x-ndjson|ld\+json)$|image\/svg\+xml$)/

export const plainType = (type: string | null): string => type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Larger drawings are shown as their source. */
const MOST_DRAWING = 8 * 1024 * 1024
/** Whether a file is an SVG that is shown as a picture. In an image, browsers run no script of it and load nothing for it. */
export const isDrawing = (contentType: string | null, size: number): boolean =>
  plainType(contentType) === 'image/svg+xml' && size <= MOST_DRAWING

/** What a file can be shown as; `other` has no preview. */
export function viewerOf(contentType: string | null, size: number): Family {
  const type = plainType(contentType)
  if (size === 0) return 'other'
  if (PICTURES.includes(type) || isDrawing(type, size)) return 'picture'
  if (FILMS.includes(type)) return 'video'
  if (SOUNDS.includes(type)) return 'audio'
  if (type === 'application/pdf') return 'pdf'
  return TEXTS.test(type) ? 'text' : 'other'
}

type Word = 'picture' | 'video' | 'audio' | 'document' | 'spreadsheet' | 'presentation' | 'archive' | 'code'
const OFFICE = 'vnd.openxmlformats-officedocument'
/** Types whose name says little, and what people call them. */
const known: { readonly [type: string]: readonly [Word, string] } = {
  'application/pdf': ['document', 'PDF'],
  'application/msword': ['document', 'Word'],
  [`application/${OFFICE}.wordprocessingml.document`]: ['document', 'Word'],
  'application/vnd.oasis.opendocument.text': ['document', 'OpenDocument'],
  'application/rtf': ['document', 'RTF'],
  'application/vnd.ms-excel': ['spreadsheet', 'Excel'],
  [`application/${OFFICE}.spreadsheetml.sheet`]: ['spreadsheet', 'Excel'],
  'application/vnd.oasis.opendocument.spreadsheet': ['spreadsheet', 'OpenDocument'],
  'text/csv': ['spreadsheet', 'CSV'],
  'application/vnd.ms-powerpoint': ['presentation', 'PowerPoint'],
  [`application/${OFFICE}.presentationml.presentation`]: ['presentation', 'PowerPoint'],
  'application/vnd.oasis.opendocument.presentation': ['presentation', 'OpenDocument'],
  'application/zip': ['archive', 'ZIP'],
  'application/gzip': ['archive', 'GZIP'],
  'application/x-tar': ['archive', 'TAR'],
  'application/x-7z-compressed': ['archive', '7z'],
  'application/vnd.rar': ['archive', 'RAR'],
  'application/json': ['code', 'JSON'],
  'application/xml': ['code', 'XML'],
  'text/markdown': ['code', 'Markdown'],
  'text/html': ['code', 'HTML'],
  'text/css': ['code', 'CSS'],
  'text/javascript': ['code', 'JavaScript'],
  'video/quicktime': ['video', 'QuickTime'],
  'video/x-matroska': ['video', 'Matroska'],
  'audio/mpeg': ['audio', 'MP3'],
  'image/svg+xml': ['picture', 'SVG'],
  'image/vnd.adobe.photoshop': ['picture', 'Photoshop'],
}
const FAMILIES: { readonly [top: string]: Word } = { image: 'picture', video: 'video', audio: 'audio', text: 'code' }
const WORDY = /^(x-|vnd\.)|[.+]/

/** What people call a file's type: `JPEG picture`, `PDF document`, `DWG file`. */
export function typeWords(contentType: string | null, name: string): string {
  const type = plainType(contentType)
  const [top = '', sub = ''] = type.split('/')
  const found = known[type]
  if (found) return text[found[0]](found[1])
  if (type === 'text/plain') return text.plainText
  const ending = /\.([A-Za-z0-9]{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? ''
  const family = FAMILIES[top]
  if (family) return text[family](WORDY.test(sub) ? ending : sub.toUpperCase())
  return text.other(ending)
}

/** What people call the types that are accepted: `pictures, PDF files` for `image/*, application/pdf`. */
export function acceptedWords(types: readonly string[]): string {
  const { kinds, others } = kindsOf(types)
  const words = others.map((type) => {
    const plain = plainType(type)
    const [top = '', sub] = plain.split('/')
    return sub !== '*' && (known[plain] || FAMILIES[top]) ? typeWords(type, '') : type
  })
  return [...kinds.map((kind) => text[kind]), ...words].join(', ')
}

/** Which icon stands for a file. */
export function familyOf(contentType: string | null, name: string): Family {
  const type = plainType(contentType)
  const word = known[type]?.[0]
  const top = type.split('/', 1)[0] ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (word === 'archive' || /\.(zip|gz|tar|7z|rar|zst)$/i.test(name)) return 'archive'
  if (word === 'document' || word === 'spreadsheet' || word === 'presentation') return 'document'
  if (top === 'image') return 'picture'
  return top === 'video' || top === 'audio' || top === 'text' ? top : word === 'code' ? 'text' : 'other'
}
