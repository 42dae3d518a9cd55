/** Which of our policies give users and groups what MinIO's give them: each whole, or not at all. */
import type { Person } from './conditions.ts'
import { mayDeny, readyMade, type Translation, translateFor } from './policies.ts'
import { byName, type Fields, isFields, textsOf } from './read.ts'
import { type Item, shortList } from './table.ts'

/** Policies of a user or a group, as configurations have them. */
export interface Policies {
  attached_policies?: string[]
  inline_policies?: { [name: string]: Fields }
}
/** What a user gets. */
export interface Granted {
  policies: Policies
  /** Nothing, as what they must not do could not be brought over. */
  stopped: boolean
  /** Whether all of their policies came over. */
  isWhole: boolean
  notes: string[]
}

const MOST_ATTACHED = 20
const MOST_CHARACTERS = 10_240

/** A policy of MinIO's. */
interface Known {
  source: Fields
  /** What it is called here, if it can be attached. */
  called?: string
  /** What it is called where it is a user's own. */
  own: string
  /** Its translation for everyone. */
  translation: Translation
}

export class Grantings {
  readonly #known = new Map<string, Known>()
  /** In lower case. */
  readonly #names = new Set<string>()
  readonly #used = new Set<string>()
  /** Of policies that depend on who asks: for whom they were translated, and why not. */
  readonly #personal = new Map<string, { people: string[]; refused: Set<string> }>()

  constructor(policies: ReadonlyMap<string, Fields>, label: string) {
    for (const [name, source] of policies) {
      const translation = translateFor(source, 'anyone')
      const ready = readyMade(name, source)
      const isAttachable = 'document' in translation && translation.document !== null
      const own = this.#nameOf(`${label}-${name}`)
      const called = ready ?? (isAttachable ? own : undefined)
      this.#known.set(name, { source, translation, own, ...(called === undefined ? {} : { called }) })
    }
  }

  /** A name as policies here can have it, which no other has. */
  #nameOf(wanted: string): string {
    const name = wanted.replaceAll(/[^\w+=,.@-]+/g, '-').slice(0, 100)
    for (let i = 1; ; i++) {
      const one = i === 1 ? name : `${name}-${i}`
      if (this.#names.has(one.toLowerCase())) continue
      this.#names.add(one.toLowerCase())
      return one
    }
  }

  /** The names of the policies that can be attached to a group for all of its members. */
  ofGroup(names: readonly string[]): string[] {
    const called = names.flatMap((name) => this.#known.get(name)?.called ?? [])
    for (const name of names) this.#used.add(name)
    return [...new Set(called)].sort(byName).slice(0, MOST_ATTACHED)
  }

  /** Why a group whose members are not known cannot be made; undefined if it can. */
  lostOfGroup(names: readonly string[]): string | undefined {
    for (const name of names) {
      const known = this.#known.get(name)
      if (known && known.called === undefined && 'obstacle' in known.translation)
        return `the policy ${name} is not brought over, as ${known.translation.obstacle}.`
    }
    return names.length > MOST_ATTACHED ? `it has more than ${MOST_ATTACHED} policies.` : undefined
  }

  /** What somebody gets by policies of their own, next to those that the groups have which they are in. */
  ofPerson(person: Person, own: readonly string[], ofGroups: readonly (readonly string[])[]): Granted {
    const given = new Set(ofGroups.flatMap((names) => this.ofGroup(names)))
    const notes: string[] = []
    const attached = new Set<string>()
    const inline: { [name: string]: Fields } = {}
    const refused: string[] = []
    for (const name of [...new Set([...own, ...ofGroups.flat()])].sort(byName)) {
      this.#used.add(name)
      const known = this.#known.get(name)
      if (!known) notes.push(`There is no policy ${name} in the export.`)
      else if (known.called !== undefined) {
        if (own.includes(name) || !given.has(known.called)) attached.add(known.called)
      } else if ('obstacle' in known.translation) {
        const translation = this.#translateFor(name, known, person)
        if ('obstacle' in translation) refused.push(name)
        else if (translation.document) inline[known.own] = translation.document
      }
    }
    const isMissing = notes.length > 0
    const stops = refused.filter((name) => mayDeny(this.#known.get(name)?.source ?? {}))
    const length = Object.values(inline).reduce((sum, one) => sum + JSON.stringify(one).replace(/\s/g, '').length, 0)
    const why =
      stops.length > 0
        ? `${shortList(stops)} may deny something, and is not brought over`
        : length > MOST_CHARACTERS || attached.size > MOST_ATTACHED
          ? 'their policies are more than a user can have'
          : undefined
    const stopped = why !== undefined
    if (why !== undefined) notes.push(`No permissions: ${why}.`)
    else if (refused.length > 0) notes.push(`Without ${shortList(refused)}, which is not brought over.`)
    const policies = { attached_policies: [...attached].sort(byName), inline_policies: inline }
    return { policies, stopped, isWhole: !stopped && refused.length === 0 && !isMissing, notes }
  }

  #translateFor(name: string, { source, translation }: Known, person: Person): Translation {
    if (!('obstacle' in translation) || !translation.personal) return translation
    const personal = this.#personal.get(name) ?? { people: [], refused: new Set<string>() }
    this.#personal.set(name, personal)
    const theirs = translateFor(source, person)
    if ('obstacle' in theirs) personal.refused.add(`Not for ${person.name}: ${theirs.obstacle}.`)
    else personal.people.push(person.name)
    return theirs
  }

  /** Whether policies allow everything in the service and on all buckets, and deny nothing. */
  isAllPowerful(names: readonly string[]): boolean {
    const all = names.flatMap((name) => this.#known.get(name) ?? [])
    if (all.some(({ source }) => mayDeny(source))) return false
    const statements = all.flatMap(({ source }) => [source.Statement].flat().filter(isFields))
    return ['admin:*', 's3:*'].every((action) =>
      statements.some(
        ({ Action, Resource, Condition }) =>
          textsOf(Action).some((one) => one === action || one === '*') &&
          (action === 'admin:*' || textsOf(Resource).some((one) => one === '*' || one === 'arn:aws:s3:::*')) &&
          (!isFields(Condition) || Object.keys(Condition).length === 0),
      ),
    )
  }

  /** The policies that are to be created. */
  entries(): { name: string; document: Fields }[] {
    return [...this.#known.values()].flatMap(({ called, translation }) =>
      called !== undefined && !called.startsWith('aws:') && 'document' in translation && translation.document
        ? [{ name: called, document: translation.document }]
        : [],
    )
  }

  /** What became of each policy. */
  items(): Item[] {
    return [...this.#known].map(([name, known]): Item => ({ kind: 'policy', name, ...this.#outcome(name, known) }))
  }

  #outcome(name: string, { called, translation }: Known): Pick<Item, 'verdict' | 'notes'> {
    const unused = this.#used.has(name) ? [] : ['It is attached to nobody in the export.']
    if (called?.startsWith('aws:'))
      return name === 'consoleAdmin'
        ? { verdict: 'narrower', notes: [`The built-in ${called}.`, ADMINISTRATION, ...unused] }
        : { verdict: 'exact', notes: [`The built-in ${called}.`, ...unused] }
    if ('document' in translation) {
      const { notes } = translation
      if (called === undefined) return { verdict: 'not', notes: ['It says nothing of what there is here.', ...notes] }
      return { verdict: notes.length > 0 ? 'narrower' : 'exact', notes: [`The policy ${called}.`, ...notes, ...unused] }
    }
    const { people, refused } = this.#personal.get(name) ?? { people: [], refused: new Set<string>() }
    if (!translation.personal)
      return { verdict: 'not', notes: [`It is not brought over, as ${translation.obstacle}.`, ...unused] }
    const each = `For each user by themselves, as ${translation.obstacle}`
    if (people.length === 0) return { verdict: 'not', notes: [`${each}.`, ...refused, ...unused] }
    return {
      verdict: refused.size > 0 ? 'narrower' : 'exact',
      notes: [`${each}: ${shortList(people, 10)}.`, ...refused],
    }
  }
}

const ADMINISTRATION = 'Settings, webhooks and the audit log are for administrators: see --administrators.'
