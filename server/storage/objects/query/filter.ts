// Whether an object is what a query asks for: decided by its row alone, whatever led to it.
import { fold } from '../../../../contract/fold.ts'
import { kindOf } from '../../../../contract/kinds.ts'
import { compileGlob } from '../../../../contract/patterns.ts'
import type { Filter, Pattern, Term } from '../../../../contract/query.ts'
import { timeOfWhen, type When } from '../../../../contract/query-values.ts'
import { shownType } from '../../../base/media-type.ts'
import { kindOf as encryptionOf } from '../../../encryption/sealing.ts'
import type { Traits } from './store.ts'

/** What the terms of a query mean when it is asked. */
export interface Facts {
  now: number
  /** Length of the prefix that is searched below: words are not looked for in it. */
  skip: number
  /** The users that `by:` names, by the text; null for those that there are not. */
  writers: ReadonlyMap<string, string | null>
}

type Test = (traits: Traits) => boolean

/** Whether all terms hold of an object. The bucket's name is not asked here. */
export function filterOf(terms: readonly Term[], facts: Facts): Test {
  const tests = terms.flatMap((term) => {
    const test = testOf(term, facts)
    return test ? [term.negated ? (traits: Traits) => !test(traits) : test] : []
  })
  return (traits) => tests.every((test) => test(traits))
}

/** The media type that is shown, without its parameters. */
export const typeOf = (traits: Pick<Traits, 'content_type' | 'key'>): string =>
  shownType(traits).split(';', 1)[0]?.trim().toLowerCase() ?? ''

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

function testOf(filter: Filter, facts: Facts): Test | undefined {
  switch (filter.field) {
    case 'text': {
      const wanted = fold(filter.text)
      return ({ key }) => fold(key.slice(facts.skip)).includes(wanted)
    }
    case 'name': {
      const { text, glob } = filter.pattern
      const wanted = fold(text)
      if (!glob) return ({ key }) => fold(nameOf(key)).includes(wanted)
      const matches = compileGlob(wanted)
      return ({ key }) => matches(fold(nameOf(key)))
    }
    case 'key': {
      const { text, glob } = filter.pattern
      const matches = glob ? compileGlob(text) : (key: string) => key === text
      return ({ key }) => matches(key)
    }
    case 'prefix':
      return ({ key }) => key.startsWith(filter.text)
    case 'ext':
      return ({ key }) => fold(nameOf(key)).endsWith(`.${filter.text}`)
    case 'type': {
      const matches = matcher(filter.pattern)
      return (traits) => matches(typeOf(traits))
    }
    case 'kind':
      return (traits) => kindOf(shownType(traits)) === filter.kind
    case 'size':
      return ({ size }) => size >= (filter.from ?? 0) && (filter.to === null || size <= filter.to)
    case 'modified':
    case 'created': {
      const [from, to] = [timeText(filter.from, facts.now), timeText(filter.to, facts.now)]
      const column = filter.field === 'modified' ? 'last_modified' : 'created_at'
      return (traits) => (from === null || traits[column] >= from) && (to === null || traits[column] <= to)
    }
    case 'tag':
    case 'meta': {
      const { name, value } = filter
      const matches = value === null ? () => true : matcher(value)
      const column = filter.field === 'tag' ? 'tags' : 'metadata'
      return (traits) => {
        const text = traits[column]
        if (text === null || text === '{}') return false
        const pairs = JSON.parse(text) as { [name: string]: string }
        return Object.hasOwn(pairs, name) && matches(pairs[name] ?? '')
      }
    }
    case 'by': {
      const writer = facts.writers.get(filter.text) ?? null
      return ({ created_by }) => writer !== null && created_by === writer
    }
    case 'encrypted':
      return ({ encryption }) =>
        filter.how === 'yes' || filter.how === 'no'
          ? (encryption !== null) === (filter.how === 'yes')
          : encryptionOf(encryption) === filter.how
    case 'storage': {
      const wanted = filter.text.toUpperCase()
      return ({ storage_class }) => (storage_class ?? 'STANDARD').toUpperCase() === wanted
    }
    case 'bucket':
      return undefined
  }
}

/** A time as objects have it. */
export const timeText = (when: When | null, now: number): string | null =>
  when === null ? null : new Date(Math.max(timeOfWhen(when, now), Date.UTC(1000, 0))).toISOString()

/** Whether a text matches as a whole. Takes no longer than to look for each piece between stars in what is left. */
export function matcher({ text, glob }: Pattern): (value: string) => boolean {
  if (!glob) return (value) => value === text
  const [first = '', ...pieces] = text.split(/\*+/)
  const last = pieces.pop() ?? ''
  return (value) => {
    if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) return false
    const end = value.length - last.length
    let at = first.length
    for (const piece of pieces) {
      const found = value.indexOf(piece, at)
      if (found < 0 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}
