import { isBucketName } from '../../../../contract/names.ts'
import { text } from './messages.ts'

/** What is wrong with a bucket's name while it is typed; nothing while it is empty. */
export function nameFault(name: string): string | undefined {
  if (name === '') return undefined
  if (name.length < 3) return text.nameShort
  return isBucketName(name) ? undefined : text.nameBad
}
