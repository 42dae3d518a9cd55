import type { PolicySentence, PolicyWarning } from '../../../../contract/policy-sentences.ts'
import { locale } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { said } from './messages.ts'

type What = PolicySentence['what']
type When = PolicySentence['when'][number]

const MOST_NAMES = 5
const joined = (parts: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string =>
  new Intl.ListFormat(locale, { type }).format(parts)

const whoText = (who: PolicyWarning['who']): string =>
  joined(who.map(({ kind, name }) => said.who(kind, legible(name))))

/** What somebody can do, in the page's language. */
export function whatText({ all_but, kinds, others }: What): string {
  const more = others.length - MOST_NAMES
  const parts = [
    ...kinds.map((kind) => said.deed(kind)),
    ...(others.length === 0 ? [] : [said.uses(others.slice(0, MOST_NAMES).join(', '))]),
    ...(more > 0 ? [said.more(more)] : []),
  ]
  if (parts.length === 0) return said.idle
  return all_but ? said.allBut(joined(parts)) : joined(parts)
}

function whereText(where: PolicySentence['where']): string {
  if (where === null) return ''
  const places = joined(where.of.map(({ kind, name }) => said.place(kind, legible(name))))
  return where.all_but ? said.placesBut(places) : places
}

const SUBJECTS = {
  'aws:sourceip': 'address',
  'aws:securetransport': 'https',
  'aws:currenttime': 'time',
  'aws:username': 'user',
  's3:prefix': 'folder',
} as const

function whenText({ key, relation, values, of, if_exists }: When): string {
  const known = SUBJECTS[key.toLowerCase() as keyof typeof SUBJECTS]
  const subject = known === undefined ? key : said.subject(known)
  const which = of === 'one' ? subject : of === 'any' ? said.oneOf(subject) : said.eachOf(subject)
  const condition = said.condition(relation, which, joined(values.map(legible), 'disjunction'))
  return if_exists ? said.orAbsent(condition) : condition
}

/** What a statement says, in the page's language. */
export function sentenceText({ effect, who, what, where, when }: PolicySentence): string {
  const rest = said.rest(whatText(what), whereText(where), joined(when.map(whenText)))
  if (who === null) return effect === 'Allow' ? said.theyCan(rest) : said.theyCannot(rest)
  const named = whoText(who.of)
  const isName = who.of[0]?.kind === 'user'
  if (effect === 'Allow') return said.allow(named, rest, isName)
  if (who.all_but) return said.denyBut(named, rest)
  return who.of.some(({ kind }) => kind === 'anyone') ? said.denyAll(rest) : said.deny(named, rest, isName)
}

/** A warning in the page's language. */
export const warningText = ({ code, who, what, names }: PolicyWarning): string =>
  said.warning(code, whoText(who), whatText(what), names.join(', '))
