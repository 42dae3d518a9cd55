import { legible } from '../../../contract/legible.ts'
import type { Item } from './api.ts'
import { text } from './language.ts'
import { baseOf } from './place.ts'
import type { Choice } from './useChoice.ts'
import type { Downloads } from './useDownloads.ts'

/** What the gallery and the list show. */
export interface FilesProps {
  folders: readonly string[]
  files: readonly Item[]
  /** Previews are off where they would use up downloads. */
  limited: boolean
  downloads: Downloads
  choice: Choice
}

/** A folder's name as it is shown. */
export const folderWords = (folder: string): string => {
  const part = folder.split('/').at(-2) ?? ''
  return part === '' ? text.unnamed : legible(part)
}
/** A file's name as it is shown. */
export const fileWords = ({ name }: Item): string => legible(baseOf(name))
