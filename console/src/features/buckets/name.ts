import { isBucketName } from '../../../../contract/names.ts'
import { text } from './messages.ts'

/** A valid name that is like what was typed, if there is one: `my-bucket` for `My Bucket`. */
export function suggestName(typed: string): string | undefined {
  const name = typed
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/\.[.-]+|-+\./g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 63)
  return name !== typed && isBucketName(name) ? name : undefined
}

/** What is wrong with a bucket's name while it is typed; nothing while it is empty. */
export function nameFault(name: string): string | undefined {
  if (name === '') return undefined
  if (name.length < 3) return text.nameShort
  return isBucketName(name) ? undefined : text.nameBad
}
