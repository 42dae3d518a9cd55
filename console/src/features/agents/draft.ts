import type { AgentBudget, ApprovableAction, NewAgentScope } from '../../../../contract/agents.ts'
import { type Expiry, endOf } from '../../ui/ExpiryField.tsx'
import { faultsOfRows, grantsOf, newRow, type Row } from '../groups/changes.ts'

/** What an agent can be allowed. */
export const grantable = ['list', 'read', 'write', 'delete', 'share'] satisfies NewAgentScope[number]['actions']
/** What the service has by default; its contract is not loaded with the page. */
const usual = { delete_objects_per_hour: 100, change_objects_per_hour: 1000 } satisfies Partial<AgentBudget>

const MOST_OF_A_NAME = 100

/** What Mantine's number fields have: empty is the text ''. */
export type Amount = number | string

/** A new agent while it is entered. */
export interface Draft extends Record<string, unknown> {
  name: string
  rows: Row[]
  fork: boolean
  deletes: Amount
  changes: Amount
  readMegabytes: Amount
  approve: ApprovableAction[]
  above: Amount
  expiry: Expiry
}

/** What a client gets that nobody has chosen anything for: it reads. */
export const draftFor = (name: string): Draft => ({
  ...newDraft(),
  name: name.slice(0, MOST_OF_A_NAME),
  rows: [newRow({ actions: ['list', 'read'] })],
})

export const newDraft = (): Draft => ({
  name: '',
  rows: [newRow({ actions: grantable.filter((one) => one !== 'share') })],
  fork: false,
  deletes: usual.delete_objects_per_hour,
  changes: usual.change_objects_per_hour,
  readMegabytes: '',
  approve: ['share'],
  above: '',
  expiry: { choice: '30d', at: '' },
})

const MB = 1024 ** 2
const limitOf = (amount: Amount, unit = 1): number | null => (amount === '' ? null : Math.round(Number(amount) * unit))

/** The one bucket that a draft is about, which can be forked; undefined if it is about several, or a pattern. */
export function forkable({ rows }: Pick<Draft, 'rows'>): string | undefined {
  const [first, ...others] = new Set(rows.map(({ bucket_pattern }) => bucket_pattern))
  return first === undefined || first === '' || first.includes('*') || others.length > 0 ? undefined : first
}

/** The agent for the API; undefined until the draft is complete. */
export function bodyOf(draft: Draft) {
  const { name, rows, fork, deletes, changes, readMegabytes, approve, above, expiry } = draft
  const end = expiry.choice === 'never' ? null : endOf(expiry)
  if (name.trim() === '' || rows.length === 0 || faultsOfRows({ rows }).size > 0 || end === undefined) return undefined
  const scope = grantsOf({ rows }).map(({ bucket_pattern, ...part }) => ({ ...part, bucket: bucket_pattern }))
  const bucket = fork ? forkable(draft) : undefined
  return {
    name: name.trim(),
    scope: scope as NewAgentScope,
    budget: {
      delete_objects_per_hour: limitOf(deletes),
      change_objects_per_hour: limitOf(changes),
      read_bytes_per_hour: limitOf(readMegabytes, MB),
    },
    approval: { actions: approve, above_objects: limitOf(above) },
    expires_at: end?.toISOString() ?? null,
    ...(bucket === undefined ? {} : { fork: { bucket } }),
  }
}
