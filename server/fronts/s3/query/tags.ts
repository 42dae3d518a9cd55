import { type Element, element } from '../answers/xml.ts'
import type { Parameters } from './parameters.ts'
import { QueryError } from './query-error.ts'

export interface Tag {
  Key: string
  Value: string
}

const MOST_TAGS = 50
const CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u
const KEY = { most: 128, pattern: CHARACTERS }
const VALUE = { least: 0, most: 256, pattern: CHARACTERS }

/** The tags of a request, by AWS' rules. Throws ValidationError, and InvalidInput for a key that is there twice. */
export function tagsIn(parameters: Parameters): Tag[] {
  const count = parameters.structures('Tags', MOST_TAGS)
  const tags = Array.from(
    { length: count },
    (_, i): Tag => ({
      Key: parameters.required(`Tags.member.${i + 1}.Key`, KEY),
      Value: parameters.required(`Tags.member.${i + 1}.Value`, VALUE),
    }),
  )
  if (new Set(tags.map(({ Key }) => Key.toLowerCase())).size < tags.length)
    throw new QueryError('InvalidInput', 'Duplicate tag keys found. Please note that Tag keys are case insensitive.')
  return tags
}

/** The keys of tags that a request names. Throws ValidationError. */
export const tagKeysIn = (parameters: Parameters): string[] =>
  parameters.list('TagKeys', { of: KEY, most: MOST_TAGS }) ?? []

export const tagsElement = (tags: readonly Tag[]): Element =>
  element('Tags', ...tags.map(({ Key, Value }) => element('member', element('Key', Key), element('Value', Value))))
