import { kindsOf } from '../../../../contract/kinds.ts'
import type { Share } from '../../../../contract/shares.ts'
import { legible } from '../../keys.ts'
import type { Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

/** What a link opens, in a few words, as it is shown. */
export function nameOf({ kind, object_key, prefix, keys, bucket }: Share): string {
  if (kind === 'object') return legible(object_key ?? '')
  if (kind === 'selection') return text.keys(keys?.length ?? 0)
  return legible(prefix ?? '') || bucket
}
export const kindOf = ({ kind }: Share): string => text[kind]

/** The types of files that an upload link takes: `Pictures, PDF, image/x-raw`; undefined if it takes all. */
export function typesWords({ content_types }: Share): string | undefined {
  if (content_types === null) return undefined
  const { kinds, others } = kindsOf(content_types)
  return [...kinds.map((kind) => text.fileKinds(kind)), ...others].join(', ')
}

export const stateWords: Record<Share['state'], { tone: Tone; word: string }> = {
  active: { tone: 'ok', word: text.active },
  expired: { tone: 'idle', word: text.expired },
  spent: { tone: 'idle', word: text.spent },
  revoked: { tone: 'bad', word: text.revoked },
}
