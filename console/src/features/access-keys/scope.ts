import type { AccessKey } from '../../../../contract/access-keys.ts'
import { presetOf } from '../../../../contract/permissions.ts'
import { text } from './messages.ts'

/** What a key is limited to: `photos/2026/ (list, read)`. */
export const scopeWords = (scope: NonNullable<AccessKey['scope']>): string =>
  scope
    .map(({ bucket, prefix, actions }) =>
      text.part(prefix === '' ? bucket : `${bucket}/${prefix}`, presetOf(actions) ?? actions.join(', ')),
    )
    .join('; ')
