import { isKeyText } from '../../contract/names.ts'
import type { Filter, Read, Rule } from './bucket-entry.ts'
import { childOf, childrenOf, numberIn, textIn, type XmlNode } from './xml.ts'

const MOST_RULES = 1000
const MOST_DAYS = 36_500
const MOST_TAGS = 10
const KNOWN = new Set([
  'ID',
  'Status',
  'Filter',
  'Prefix',
  'Expiration',
  'Transition',
  'NoncurrentVersionTransition',
  'NoncurrentVersionExpiration',
  'DelMarkerExpiration',
  'AbortIncompleteMultipartUpload',
])
const CONDITIONS = new Set(['Prefix', 'Tag', 'ObjectSizeGreaterThan', 'ObjectSizeLessThan'])

/**
 * Translates lifecycle rules. A rule of which something is unknown is left out: it would delete more, or other objects.
 * What moves objects to tiers is left out of its rule.
 */
export function lifecycleOf(root: XmlNode): Read {
  const notes: string[] = []
  const ids = new Set<string>()
  const rules: Rule[] = []
  for (const [i, node] of childrenOf(root, 'Rule').entries()) {
    const given = textIn(node, 'ID') || `rule-${i + 1}`
    const id = ids.has(given) ? `rule-${i + 1}` : given
    const say = (note: string) => notes.push(`Lifecycle rule ${id}: ${note}`)
    const rule = ruleOf(node, id, say)
    if (!rule) continue
    if (rules.length === MOST_RULES || ids.has(id) || id.length > 255 || /\p{Cc}/u.test(id))
      say('it cannot have this ID here, or there are too many.')
    else rules.push(rule)
    ids.add(id)
  }
  return { fields: rules.length > 0 ? { lifecycle: rules } : {}, notes }
}

function ruleOf(node: XmlNode, id: string, say: (note: string) => void): Rule | undefined {
  const unknown = node.children.filter(({ name }) => !KNOWN.has(name)).map(({ name }) => name)
  const status = textIn(node, 'Status')
  const filter = filterOf(node)
  if (unknown.length > 0 || !filter || (status !== 'Enabled' && status !== 'Disabled')) {
    say(`not translated, since ${unknown[0] ?? (filter ? 'its status' : 'its filter')} is unknown here.`)
    return undefined
  }
  const hasSize = Object.keys(filter).some((name) => name !== 'prefix')
  const rule: Rule = { id, enabled: status === 'Enabled' }
  if (Object.keys(filter).length > 0) rule.filter = filter
  if (childOf(node, 'Transition') || childOf(node, 'NoncurrentVersionTransition'))
    say('nothing is moved to another tier, there is none here.')
  if (childOf(node, 'DelMarkerExpiration')) say('DelMarkerExpiration is not translated.')
  addExpiration(rule, childOf(node, 'Expiration'), { hasSize, say })
  addNoncurrent(rule, childOf(node, 'NoncurrentVersionExpiration'), say)
  const abort = childOf(node, 'AbortIncompleteMultipartUpload')
  const days = abort && numberIn(abort, 'DaysAfterInitiation')
  if (abort && (hasSize || !isDays(days))) say('AbortIncompleteMultipartUpload is not translated.')
  else if (days !== undefined) rule.abort_days = days
  if (rule.expiration || rule.noncurrent || rule.abort_days !== undefined) return rule
  say('nothing is left of it.')
  return undefined
}

const isDays = (value: number | undefined): value is number => value !== undefined && value >= 1 && value <= MOST_DAYS

/** Which objects a rule is about; undefined if that cannot be said here. */
function filterOf(rule: XmlNode): Filter | undefined {
  const filter = childOf(rule, 'Filter')
  const and = filter && childOf(filter, 'And')
  const conditions = [
    ...childrenOf(rule, 'Prefix'),
    ...(filter?.children.filter((one) => one !== and) ?? []),
    ...(and?.children ?? []),
  ]
  if (conditions.some(({ name }) => !CONDITIONS.has(name))) return undefined
  const prefixes = conditions.filter(({ name, text }) => name === 'Prefix' && text !== '').map(({ text }) => text)
  const tags = conditions
    .filter(({ name }) => name === 'Tag')
    .map((tag): [string, string] => [childOf(tag, 'Key')?.text ?? '', childOf(tag, 'Value')?.text ?? ''])
    .filter(([key, value]) => key !== '' || value !== '')
  const holder = { name: '', text: '', children: conditions }
  const [greater, less] = [numberIn(holder, 'ObjectSizeGreaterThan'), numberIn(holder, 'ObjectSizeLessThan')]
  const [prefix] = prefixes
  const isRight =
    new Set(prefixes).size <= 1 &&
    isKeyText(prefix ?? '', 0) &&
    tags.length <= MOST_TAGS &&
    new Set(tags.map(([key]) => key)).size === tags.length &&
    tags.every(([key, value]) => /^\P{Cc}{1,128}$/u.test(key) && /^\P{Cc}{0,256}$/u.test(value)) &&
    [greater, less].every((one) => one === undefined || Number.isSafeInteger(one))
  if (!isRight) return undefined
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(tags.length > 0 ? { tags: Object.fromEntries(tags) } : {}),
    ...(greater ? { greater_than: greater } : {}),
    ...(less ? { less_than: less } : {}),
  }
}

function addExpiration(
  rule: Rule,
  node: XmlNode | undefined,
  { hasSize, say }: { hasSize: boolean; say: (note: string) => void },
): void {
  if (!node || node.children.length === 0) return
  const days = numberIn(node, 'Days')
  const date = textIn(node, 'Date')
  const marker = textIn(node, 'ExpiredObjectDeleteMarker')
  const isOfAll = textIn(node, 'ExpiredObjectAllVersions') === 'true'
  if (isOfAll) say('it expires objects only, and not all their versions.')
  if (isDays(days) && date === undefined) rule.expiration = { days }
  else if (days === undefined && date !== undefined && /^\d{4}-\d\d-\d\dT00:00:00(\.0+)?Z$/.test(date))
    rule.expiration = { date: `${date.slice(0, 10)}T00:00:00Z` }
  else if (days === undefined && date === undefined && marker === 'true' && !hasSize)
    rule.expiration = { expired_delete_marker: true }
  else if (days !== undefined || date !== undefined || marker === 'true') say('Expiration is not translated.')
}

function addNoncurrent(rule: Rule, node: XmlNode | undefined, say: (note: string) => void): void {
  if (!node || node.children.length === 0) return
  const days = numberIn(node, 'NoncurrentDays')
  // The older name of the same.
  const newer = numberIn(node, 'NewerNoncurrentVersions') ?? numberIn(node, 'MaxNoncurrentVersions')
  const isRight = (days === undefined || isDays(days)) && (newer === undefined || (newer >= 1 && newer <= 100))
  if (!isRight || (days === undefined && newer === undefined)) say('NoncurrentVersionExpiration is not translated.')
  else {
    if (days === undefined) say('versions expire a day later.')
    rule.noncurrent = { days: days ?? 1, ...(newer === undefined ? {} : { newer }) }
  }
}
