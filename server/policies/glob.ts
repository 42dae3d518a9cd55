/** One piece of a pattern: a character of its own, or what stands for many. */
type Piece =
  | { kind: 'character'; character: string }
  /** `?`: one character but a slash. */
  | { kind: 'one' }
  /** `*`: any run without a slash. */
  | { kind: 'name' }
  /** `**`: any run. */
  | { kind: 'all' }
  /** `**` and a slash where a name could begin: any number of folders, none too. */
  | { kind: 'folders' }

/**
 * A test for texts that a glob matches as a whole. `*`, `**`, `**` + `/` and `?` are special, everything else is literal. All
 * possible readings are followed at once, so it takes O(glob × text) whatever the glob, without going back.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  const pieces = parse(glob)
  const end = pieces.length
  // A state is a place between pieces; within a folder's name of a `folders` piece it is -1 - place.
  const inside = (place: number) => -1 - place
  return (text) => {
    let states = new Set<number>()
    const enter = (into: Set<number>, place: number) => {
      for (let at = place; !into.has(at); at++) {
        into.add(at)
        const kind = pieces[at]?.kind
        if (kind !== 'name' && kind !== 'all' && kind !== 'folders') return
      }
    }
    enter(states, 0)
    for (const character of text) {
      if (states.size === 0) return false
      const next = new Set<number>()
      for (const state of states) {
        if (state < 0) {
          if (character === '/') enter(next, inside(state))
          else next.add(state)
          continue
        }
        const piece = pieces[state]
        if (!piece) continue
        if (piece.kind === 'character') {
          if (piece.character === character) enter(next, state + 1)
        } else if (piece.kind === 'one') {
          if (character !== '/') enter(next, state + 1)
        } else if (piece.kind === 'all' || (piece.kind === 'name' && character !== '/')) enter(next, state)
        else if (piece.kind === 'folders') {
          if (character === '/') enter(next, state)
          else next.add(inside(state))
        }
      }
      states = next
    }
    return states.has(end)
  }
}

function parse(glob: string): Piece[] {
  const pieces: Piece[] = []
  const characters = [...glob]
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string
    if (character === '?') pieces.push({ kind: 'one' })
    else if (character !== '*') pieces.push({ kind: 'character', character })
    else {
      const first = i === 0 || characters[i - 1] === '/'
      let stars = 1
      while (characters[i + 1] === '*') {
        stars++
        i++
      }
      if (stars === 1) pieces.push({ kind: 'name' })
      else if (first && characters[i + 1] === '/') {
        pieces.push({ kind: 'folders' })
        i++
      } else pieces.push({ kind: 'all' })
    }
  }
  return pieces
}
