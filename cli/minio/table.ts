import { printable } from '../places.ts'

/** How much of an item of the exports is translated. */
export type Verdict = 'exact' | 'narrower' | 'not'

/** An item of the exports, and what becomes of it. */
export interface Item {
  kind: 'policy' | 'user' | 'access key' | 'group' | 'bucket' | 'identity' | 'file'
  name: string
  verdict: Verdict
  /** What it becomes, or why nothing; what differs, a sentence each. */
  notes: string[]
}

const TITLES: { readonly [V in Verdict]: string } = {
  exact: 'exact',
  narrower: 'narrower',
  not: 'not',
}

/** The first of some names, and how many more there are. */
export function shortList(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}

/** The items as people read them: a line each, with what is to be said of it below. */
export function tableOf(items: readonly Item[]): string {
  const lines = items.map(
    ({ kind, name, verdict, notes }) =>
      `${TITLES[verdict].padEnd(8)}  ${kind.padEnd(10)}  ${printable(name)}\n${notes
        .map((note) => `${' '.repeat(10)}${printable(note)}\n`)
        .join('')}`,
  )
  const counts = (['exact', 'narrower', 'not'] as const)
    .map((verdict) => [verdict, items.filter((item) => item.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict === 'not' ? 'not translated' : TITLES[verdict]}`)
  return `${lines.join('')}${counts.join(', ')}.\n`
}
