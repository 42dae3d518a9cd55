import type { Part } from '../../../contract/details.ts'

/** The longest details of one record, in bytes of JSON. */
const MOST_BYTES = 8192
/** What the mark of a part takes, the path at which it goes on aside. */
const MARK_BYTES = 128
/** Fields as short as this are repeated in every part, while they are short together too. */
const SHORT_BYTES = 700
const SHORT_TOGETHER_BYTES = 2048
/** A piece of a text is at least so long: where less room is left, it begins in the next part. */
const PIECE_BYTES = 64

/** A name of an object, or a position in a list. */
type Step = string | number
interface Placed {
  path: readonly Step[]
  value: unknown
}

/**
 * The details of an action as the texts of its records: one, or as many as long details take, each within the limit and
 * marked with its `part`. Nothing is left out: `joinDetails` of the parts gives the whole.
 */
export function splitDetails(text: string, firstId: string, most = MOST_BYTES): string[] {
  if (Buffer.byteLength(text) <= most) return [text]
  const details = Object.entries(JSON.parse(text) as object)
  const repeated = shortOf(details)
  const packer = new Packer(most - MARK_BYTES - sizeOf(Object.fromEntries(repeated)))
  for (const [name, value] of details) if (!repeated.has(name)) packer.place([name], value)
  return packer.parts.map((placed, i, parts) => {
    const continues = heldOpen(placed.at(-1), parts[i + 1]?.[0])
    const part: Part = { id: firstId, number: i + 1, of: parts.length, ...(continues ? { continues } : {}) }
    const made = JSON.stringify(Object.fromEntries([...repeated, ...Object.entries(treeOf(placed)), ['part', part]]))
    if (Buffer.byteLength(made) > most) throw new Error('A part of the details of a record is too long')
    return made
  })
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What tells in every part what it is about: names, ids and numbers. */
function shortOf(details: readonly [string, unknown][]): Map<string, unknown> {
  let together = 0
  const short = details.filter(([name, value]) => {
    const size = sizeOf(name) + sizeOf(value ?? null) + 2
    if (isContainer(value) || size > SHORT_BYTES || together + size > SHORT_TOGETHER_BYTES) return false
    together += size
    return true
  })
  return new Map(short)
}

const NO_ROOM = 'The names in the details of a record leave no room for their values'

/** Fills one part after the other. */
class Packer {
  readonly parts: Placed[][] = [[]]
  private readonly room: number
  private used = 0

  constructor(room: number) {
    this.room = room
  }

  /** Whole where it can be; else an object field by field, a list element by element, a text in pieces. */
  place(path: readonly Step[], value: unknown): void {
    const size = sizeOf(value)
    if (this.fits(path, size)) {
      this.add(path, value, size)
      return
    }
    if (this.fitsAlone(path, size)) {
      this.parts.push([])
      this.used = 0
      this.add(path, value, size)
      return
    }
    const canBeSplit = isContainer(value) || typeof value === 'string'
    if (size === 2 || !canBeSplit) throw new Error(NO_ROOM)
    if (Array.isArray(value)) for (const [i, item] of value.entries()) this.place([...path, i], item)
    else if (isContainer(value)) for (const [name, item] of Object.entries(value)) this.place([...path, name], item)
    else this.placePieces(path, value)
  }

  private placePieces(path: readonly Step[], text: string): void {
    let left = text
    while (left !== '') {
      const piece = beginningOf(left, this.room - this.used - this.costOf(path, 2))
      if (sizeOf(piece) - 2 >= PIECE_BYTES || piece === left) {
        this.add(path, piece, sizeOf(piece))
        left = left.slice(piece.length)
      } else if (this.used === 0) throw new Error(NO_ROOM)
      if (left === '') return
      this.parts.push([])
      this.used = 0
    }
  }

  private add(path: readonly Step[], value: unknown, size: number): void {
    // What stays free for the path is no part of what is used.
    this.used += this.costOf(path, size) - sizeOf(path)
    this.parts.at(-1)?.push({ path, value })
  }

  private fits(path: readonly Step[], size: number): boolean {
    return this.used + this.costOf(path, size) <= this.room
  }

  private fitsAlone(path: readonly Step[], size: number): boolean {
    return costAfter(undefined, path, size) <= this.room
  }

  private costOf(path: readonly Step[], size: number): number {
    return costAfter(this.parts.at(-1)?.at(-1)?.path, path, size)
  }
}

/** Bytes of a value behind the one before it, with what has to be opened for it and room for its path. */
function costAfter(before: readonly Step[] | undefined, path: readonly Step[], size: number): number {
  const fresh = path.slice(sharedLength(before ?? [], path))
  const names = fresh.reduce((sum: number, step) => sum + 1 + (typeof step === 'string' ? sizeOf(step) + 1 : 0), 0)
  return size + names + 2 * (fresh.length - 1) + sizeOf(path)
}

function sharedLength(one: readonly Step[], other: readonly Step[]): number {
  const differs = one.findIndex((step, i) => step !== other[i])
  return differs === -1 ? one.length : differs
}

/** The longest beginning whose JSON, quotes aside, has so many bytes at most; never half of a character. */
function beginningOf(text: string, most: number): string {
  let end = 0
  let size = 0
  for (const character of text) {
    size += sizeOf(character) - 2
    if (size > most) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The path that goes on in the next part: of a text, or of an element of a list. Fields of objects join by themselves. */
function heldOpen(last: Placed | undefined, next: Placed | undefined): string[] | undefined {
  if (!last || !next) return undefined
  const shared = last.path.slice(0, sharedLength(last.path, next.path))
  const isText = shared.length === last.path.length
  return isText || shared.some((step) => typeof step === 'number') ? shared.map(String) : undefined
}

type Tree = Map<Step, unknown>

function treeOf(placed: readonly Placed[]): object {
  const root: Tree = new Map()
  for (const { path, value } of placed) {
    let tree = root
    for (const step of path.slice(0, -1)) {
      const inner = (tree.get(step) as Tree | undefined) ?? new Map()
      tree.set(step, inner)
      tree = inner
    }
    tree.set(path.at(-1) as Step, value)
  }
  return plain(root) as object
}

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Tree)].map(([step, inner]): [Step, unknown] => [step, plain(inner)])
  const isList = typeof entries[0]?.[0] === 'number'
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
