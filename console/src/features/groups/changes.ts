import type { Group } from '../../../../contract/groups.ts'
import { isBucketPattern } from '../../../../contract/names.ts'
import {
  type BucketAction,
  bucketActions,
  covers,
  type GlobalRight,
  type GrantingGroup,
  globalRights,
  presets,
} from '../../../../contract/permissions.ts'

/** A matrix row while it is edited. */
export interface Row {
  /** Identifies a row while it is edited. */
  row: number
  bucket_pattern: string
  prefix: string
  actions: BucketAction[]
}
export interface Draft {
  global: GlobalRight[]
  rows: Row[]
}

let rows = 0
/** Starts with the least that is useful. */
export const newRow = (given: Partial<Row> = {}): Row => ({
  bucket_pattern: '',
  prefix: '',
  actions: [...presets.viewer],
  ...given,
  row: ++rows,
})
export const draftOf = ({ global, grants }: Group): Draft => ({
  global: [...global],
  rows: grants.map(({ bucket_pattern, prefix, actions }) => newRow({ bucket_pattern, prefix, actions })),
})

/** The actions in canonical order, so that equal sets are equal. */
export const inOrder = (actions: readonly BucketAction[]): BucketAction[] =>
  bucketActions.filter((one) => actions.includes(one))
export const grantsOf = ({ rows }: Pick<Draft, 'rows'>) =>
  rows.map(({ bucket_pattern, prefix, actions }) => ({ bucket_pattern, prefix, actions: inOrder(actions) }))

export interface Change {
  kind: 'adds' | 'takes'
  right: string
  /** Null: everywhere. */
  at: { bucket_pattern: string; prefix: string } | null
}

/** What members gain and lose with a draft, permission by permission. */
export function changesOf(before: Pick<Group, 'global' | 'grants'>, draft: Draft): Change[] {
  const single = (grants: readonly { bucket_pattern: string; prefix: string; actions: readonly BucketAction[] }[]) =>
    new Map(
      grants.flatMap(({ bucket_pattern, prefix, actions }) =>
        inOrder(actions).map((right) => [
          `${bucket_pattern}\0${prefix}\0${right}`,
          { right, at: { bucket_pattern, prefix } },
        ]),
      ),
    )
  const old = single(before.grants)
  // A row that has no bucket yet changes nothing.
  const next = single(draft.rows.filter(({ bucket_pattern }) => bucket_pattern !== ''))
  const global = (kind: Change['kind'], from: readonly string[], to: readonly string[]): Change[] =>
    globalRights
      .filter((right) => to.includes(right) && !from.includes(right))
      .map((right) => ({ kind, right, at: null }))
  return [
    ...global('adds', before.global, draft.global),
    ...[...next].filter(([name]) => !old.has(name)).map(([, one]): Change => ({ kind: 'adds', ...one })),
    ...global('takes', draft.global, before.global),
    ...[...old].filter(([name]) => !next.has(name)).map(([, one]): Change => ({ kind: 'takes', ...one })),
  ]
}

/** Each row's error, by row number: in its pattern or its permissions. */
export function faultsOfRows({ rows }: Pick<Draft, 'rows'>): Map<number, 'pattern' | 'actions'> {
  const faults = new Map<number, 'pattern' | 'actions'>()
  for (const { row, bucket_pattern, actions } of rows)
    if (!isBucketPattern(bucket_pattern)) faults.set(row, 'pattern')
    else if (actions.length === 0) faults.set(row, 'actions')
  return faults
}

/** The permissions a user would lose once their groups are these. */
export function lossOf(before: readonly GrantingGroup[], after: readonly GrantingGroup[]): Change[] {
  const has = (groups: readonly GrantingGroup[], group: Omit<GrantingGroup, 'id' | 'name'>) =>
    covers(groups, [{ id: '', name: '', ...group }])
  const lostGlobal = globalRights
    .filter((right) => has(before, { global: [right], grants: [] }) && !has(after, { global: [right], grants: [] }))
    .map((right): Change => ({ kind: 'takes', right, at: null }))
  if (lostGlobal.some(({ right }) => right === 'admin')) return lostGlobal
  const held = before.flatMap(({ grants }) => grants)
  const lost = held.flatMap((grant) =>
    inOrder(grant.actions)
      .filter((action) => !has(after, { global: [], grants: [{ ...grant, actions: [action] }] }))
      .map((right): Change => {
        const { bucket_pattern, prefix } = grant
        return { kind: 'takes', right, at: { bucket_pattern, prefix } }
      }),
  )
  return [...lostGlobal, ...lost]
}
