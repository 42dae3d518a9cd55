// The sentences of policies in English, for whoever asks without a language: the command line, and clients of the API.
import { deedWords, type PolicySentence, type PolicyWarning } from '../../../contract/policy-sentences.ts'

type Sentence = Omit<PolicySentence, 'text'>
type Who = PolicyWarning['who'][number]
type What = PolicySentence['what']
type When = PolicySentence['when'][number]

const all = new Intl.ListFormat('en', { type: 'conjunction' })
const any = new Intl.ListFormat('en', { type: 'disjunction' })

const WHO: { readonly [kind in Who['kind']]: (name: string) => string } = {
  anyone: () => 'anyone',
  account: () => 'everyone with a credential',
  other_account: (name) => `account ${name}, which is not here`,
  user: (name) => name,
  role: (name) => `role ${name}`,
  session: (name) => `session ${name}`,
  provider: (name) => `users of ${name}`,
  service: () => 'a service of AWS, which is nobody here',
  gone: () => 'a user who is not here',
}
const whoText = (who: readonly Who[]): string => all.format(who.map(({ kind, name }) => WHO[kind](name)))

const MOST_NAMES = 5

function whatText({ all_but, kinds, others }: What): string {
  const more = others.length - MOST_NAMES
  const names = others.length === 0 ? [] : [`use ${others.slice(0, MOST_NAMES).join(', ')}`]
  const said = [...kinds.map((kind) => deedWords[kind]), ...names, ...(more > 0 ? [`${more} more actions`] : [])]
  if (said.length === 0) return 'do nothing that there is here'
  return all_but ? `do everything but ${all.format(said)}` : all.format(said)
}

type Place = NonNullable<PolicySentence['where']>['of'][number]
const PLACE: { readonly [kind in Place['kind']]: (name: string) => string } = {
  everywhere: () => 'everywhere',
  whole: (name) => `in all of ${name}`,
  bucket: (name) => `on bucket ${name} itself`,
  objects: (name) => `on all objects of ${name}`,
  below: (name) => `on objects that start with ${name}`,
  object: (name) => `on the object ${name}`,
  pattern: (name) => `on what matches ${name}`,
}

function whereText(where: Sentence['where']): string {
  if (where === null) return ''
  const said = all.format(where.of.map(({ kind, name }) => PLACE[kind](name)))
  return where.all_but ? `, everywhere but ${said}` : `, ${said}`
}

const SUBJECT: { readonly [key: string]: string } = {
  'aws:sourceip': 'the client’s address',
  'aws:securetransport': 'the use of https',
  'aws:currenttime': 'the time',
  'aws:username': 'the user’s name',
  's3:prefix': 'the folder that is listed',
}
const RELATION: { readonly [relation in When['relation']]: (values: string) => string } = {
  is: (values) => `is ${values}`,
  is_not: (values) => `is not ${values}`,
  is_ignoring_case: (values) => `is ${values} in any case`,
  is_not_ignoring_case: (values) => `is not ${values} in any case`,
  like: (values) => `matches ${values}`,
  not_like: (values) => `does not match ${values}`,
  equals: (values) => `equals ${values}`,
  not_equals: (values) => `does not equal ${values}`,
  less: (values) => `is before or below ${values}`,
  at_most: (values) => `is ${values} at most`,
  more: (values) => `is after or above ${values}`,
  at_least: (values) => `is ${values} at least`,
  in_network: (values) => `is in ${values}`,
  not_in_network: (values) => `is not in ${values}`,
  bytes: (values) => `has the bytes ${values}`,
  absent: () => 'is absent',
  present: () => 'is there',
}

function conditionText({ key, relation, values, of, if_exists }: When): string {
  const subject = SUBJECT[key.toLowerCase()] ?? key
  const which = of === 'one' ? subject : of === 'any' ? `one of ${subject}` : `each of ${subject}`
  return `${which} ${RELATION[relation](any.format(values))}${if_exists ? ' or is absent' : ''}`
}

/** A statement as a sentence. */
export function sentenceIn({ effect, who, what, where, when }: Sentence): string {
  const rest = `${whatText(what)}${whereText(where)}${when.length === 0 ? '' : `, if ${all.format(when.map(conditionText))}`}.`
  if (who === null) return `They ${effect === 'Allow' ? 'can' : 'can never'} ${rest}`
  const named = whoText(who.of)
  // Names are written as they are.
  const first = who.of[0]?.kind === 'user' ? named : capital(named)
  if (effect === 'Allow') return `${first} can ${rest}`
  if (who.all_but) return `Nobody but ${named} can ${rest}`
  return who.of.some(({ kind }) => kind === 'anyone') ? `Nobody can ${rest}` : `${first} can never ${rest}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A warning as a sentence. */
export function warningIn({ code, who, what, names }: Omit<PolicyWarning, 'text' | 'statement'>): string {
  switch (code) {
    case 'opens_to_anyone':
      return `Anyone on the network can ${whatText(what)}, without a credential.`
    case 'opens_to':
      return `It lets ${whoText(who)} ${whatText(what)}.`
    case 'lets_change_policy':
      return `It lets ${whoText(who)} change this policy.`
    case 'locks_out':
      return 'Nobody but administrators could change or remove this policy afterwards.'
    case 'account_allows_nobody':
      return `To name account ${all.format(who.map(({ name }) => name))} gives nobody anything by itself.`
    case 'no_effect':
      return `${all.format(names)} ${names.length === 1 ? 'has' : 'have'} no effect on these resources.`
    case 'never_holds':
      return `No request here has ${names[0] ?? ''}: the statement never applies.`
    case 'always_holds':
      return `No request here has ${names[0] ?? ''}: the condition holds for every request.`
  }
}
