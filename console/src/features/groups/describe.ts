import type { Group } from '../../../../contract/groups.ts'
import { text } from './messages.ts'

/** What the service says of its built-in groups, until somebody says something else. */
const given: Readonly<Record<string, string>> = {
  'May do everything.': text.administratorsAre,
  'Everyone, without signing in, at the S3 endpoint.': text.publicIs,
}

/** A group's description; that of a built-in one is in the page's language. */
export const descriptionOf = ({ builtin, description }: Pick<Group, 'builtin' | 'description'>): string =>
  (builtin ? given[description] : undefined) ?? description
