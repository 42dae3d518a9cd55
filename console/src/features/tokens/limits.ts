import { presetOf, presets } from '../../../../contract/permissions.ts'
import type { Token } from '../../../../contract/tokens.ts'
import { faultsOfRows, grantsOf, newRow, type Row } from '../groups/changes.ts'
import { text } from './messages.ts'

/** What a new credential is limited to, while it is entered; its rows count only if it is. */
export interface Limits {
  limited: boolean
  rows: Row[]
}

/** Limits to a bucket, or to none yet. */
export const limitsTo = (bucket: string | undefined): Limits => ({
  limited: bucket !== undefined,
  rows: [newRow({ bucket_pattern: bucket ?? '', actions: [...presets.editor] })],
})

/** Each row's error, by row number. */
export const faultsOf = ({ limited, rows }: Limits): ReturnType<typeof faultsOfRows> =>
  limited ? faultsOfRows({ rows }) : new Map()

/** Whether the limits can be sent. */
export const areWhole = (limits: Limits): boolean =>
  !limits.limited || (limits.rows.length > 0 && faultsOf(limits).size === 0)

/** The limits for the API. */
export const scopeOf = ({ limited, rows }: Limits) =>
  limited ? grantsOf({ rows }).map(({ bucket_pattern, ...part }) => ({ ...part, bucket: bucket_pattern })) : null

type Scope = NonNullable<Token['scope']>

/** What a credential is limited to: `photos/2026/ (viewer)`. */
export const scopeWords = (scope: Scope): string =>
  scope
    .map(({ bucket, prefix, actions }) =>
      text.part(prefix === '' ? bucket : `${bucket}/${prefix}`, presetOf(actions) ?? actions.join(', ')),
    )
    .join('; ')

/** The bucket that a credential is limited to, if it is one. */
export function onlyBucket(scope: Scope | null): string | undefined {
  const [first, ...others] = new Set(scope?.map(({ bucket }) => bucket))
  return first?.endsWith('*') || others.length > 0 ? undefined : first
}
