// The parts of what a statement says: where, when and whom it is about.
import type { PolicySentence, PolicyWarning } from '../../../contract/policy-sentences.ts'
import type { Condition } from '../conditions.ts'
import type { Statement } from '../document.ts'
import { type Template, textOf } from '../patterns.ts'
import { ACCOUNT_ID, type PrincipalEntry } from '../principal.ts'

export type Who = PolicyWarning['who'][number]
type Where = NonNullable<PolicySentence['where']>['of'][number]
type When = PolicySentence['when'][number]

/** What users are called, by their ids. */
export type NamesOfUsers = ReadonlyMap<string, string>

/** Whom an entry names; the names of roles and sessions are those that people know them by. */
export function whoOf(entry: PrincipalEntry, users: NamesOfUsers): Who {
  switch (entry.kind) {
    case 'anyone':
      return { kind: 'anyone', name: '*' }
    case 'account':
      return { kind: entry.account === ACCOUNT_ID ? 'account' : 'other_account', name: entry.account }
    case 'user':
      return entry.id === null ? { kind: 'gone', name: '' } : { kind: 'user', name: users.get(entry.id) ?? entry.id }
    case 'canonical':
      return { kind: 'user', name: entry.id }
    case 'federated':
      return { kind: 'provider', name: entry.provider.replace(/^arn:[^/]*-provider\//, '') }
    case 'service':
      return { kind: 'service', name: '' }
    case 'arn': {
      const [, kind, name = ''] = /:(role|assumed-role)\/(.+)$/s.exec(entry.arn) ?? []
      return kind === 'role'
        ? { kind: 'role', name: name.slice(name.lastIndexOf('/') + 1) }
        : { kind: 'session', name: name || entry.arn }
    }
  }
}

const S3_ARN = /^arn:aws(?:-[a-z-]+)?:s3:::/

/** A resource in words, with its bucket where that is not the one that is spoken of. */
export function whereOf(template: Template, bucket: string | undefined): Where {
  const text = textOf(template)
  if (text === '*' || /^arn:aws:s3:::\*$/.test(text)) return { kind: 'everywhere', name: '' }
  const [start] = S3_ARN.exec(text) ?? []
  if (start === undefined) return { kind: 'pattern', name: text }
  const rest = text.slice(start.length)
  const slash = rest.indexOf('/')
  const name = slash < 0 ? rest : rest.slice(0, slash)
  const key = slash < 0 ? undefined : rest.slice(slash + 1)
  const at = (within: string) => (name === bucket ? within : `${name}/${within}`)
  if (/[*?]|\$\{/.test(name)) return { kind: 'pattern', name: rest }
  if (key === undefined) return { kind: 'bucket', name }
  if (key === '*') return { kind: 'objects', name }
  if (!/[*?]|\$\{/.test(key)) return { kind: 'object', name: at(key) }
  return /^[^*?$]+\*$/.test(key) ? { kind: 'below', name: at(key.slice(0, -1)) } : { kind: 'pattern', name: at(key) }
}

const RELATIONS: { readonly [operator: string]: When['relation'] } = {
  stringequals: 'is',
  stringnotequals: 'is_not',
  stringequalsignorecase: 'is_ignoring_case',
  stringnotequalsignorecase: 'is_not_ignoring_case',
  stringlike: 'like',
  stringnotlike: 'not_like',
  numericequals: 'equals',
  numericnotequals: 'not_equals',
  numericlessthan: 'less',
  numericlessthanequals: 'at_most',
  numericgreaterthan: 'more',
  numericgreaterthanequals: 'at_least',
  dateequals: 'equals',
  datenotequals: 'not_equals',
  datelessthan: 'less',
  datelessthanequals: 'at_most',
  dategreaterthan: 'more',
  dategreaterthanequals: 'at_least',
  bool: 'is',
  binaryequals: 'bytes',
  ipaddress: 'in_network',
  notipaddress: 'not_in_network',
  arnequals: 'like',
  arnlike: 'like',
  arnnotequals: 'not_like',
  arnnotlike: 'not_like',
}
const QUALIFIERS: { readonly [qualifier: string]: When['of'] } = { foranyvalue: 'any', forallvalues: 'all' }

/** A condition in words. */
export function whenOf({ operator, name, values }: Condition): When {
  const lower = operator.toLowerCase()
  const colon = lower.indexOf(':')
  const of = QUALIFIERS[lower.slice(0, Math.max(0, colon))] ?? 'one'
  const bare = lower.slice(colon + 1)
  const if_exists = bare.endsWith('ifexists')
  if (bare === 'null') {
    const isAbsent = values.some((value) => value.toLowerCase() === 'true')
    return { key: name, relation: isAbsent ? 'absent' : 'present', values: [], of, if_exists: false }
  }
  const relation = RELATIONS[if_exists ? bare.slice(0, -'ifexists'.length) : bare] ?? 'is'
  return { key: name, relation, values: [...values], of, if_exists }
}

/** Whom a statement is about; null in policies of whom they belong to. */
export const whoIn = ({ principal }: Statement, users: NamesOfUsers): PolicySentence['who'] =>
  principal === undefined
    ? null
    : { all_but: principal.negated, of: principal.entries.map((entry) => whoOf(entry, users)) }
