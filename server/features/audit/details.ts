import type { Part } from '../../../contract/details.ts'

/** Size limit of a record's details, in bytes of JSON. */
const MOST_BYTES = 8192
/** Bytes reserved for a part's mark, without the path in `continues`. */
const MARK_BYTES = 128
/** Fields up to this size are repeated in every part, as long as their total stays within the second limit. */
const SHORT_BYTES = 700
const SHORT_TOGETHER_BYTES = 2048
/** Smallest piece of a split text: where less room is left, the text starts in the next part. */
const PIECE_BYTES = 64

/** An object's field name, or an index in a list. */
type Step = string | number
interface Placed {
  path: readonly Step[]
  value: unknown
}

/**
 * Splits an action's details into the texts of its records, each within the limit. Details that fit stay one text;
 * longer ones become several, each marked with its `part`. Nothing is lost: `joinDetails` of the parts returns the
 * whole.
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
    if (Buffer.byteLength(made) > most) throw new Error("A part of a record's details is too long")
    return made
  })
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The short fields (names, ids, numbers) that every part repeats, so that each can be read alone. */
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

const NO_ROOM = "The names in a record's details leave no room for their values"

/** Fills one part after another. */
class Packer {
  readonly parts: Placed[][] = [[]]
  private readonly room: number
  private used = 0

  constructor(room: number) {
    this.room = room
  }

  /** Keeps a value whole if possible; otherwise splits an object by field, a list by element, a text into pieces. */
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
    // The room reserved for the path does not count as used.
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

/** Bytes a value takes after the one before it, including brackets and names it has to open and room for its path. */
function costAfter(before: readonly Step[] | undefined, path: readonly Step[], size: number): number {
  const fresh = path.slice(sharedLength(before ?? [], path))
  const names = fresh.reduce((sum: number, step) => sum + 1 + (typeof step === 'string' ? sizeOf(step) + 1 : 0), 0)
  return size + names + 2 * (fresh.length - 1) + sizeOf(path)
}

function sharedLength(one: readonly Step[], other: readonly Step[]): number {
  const differs = one.findIndex((step, i) => step !== other[i])
  return differs === -1 ? one.length : differs
}

/** The longest prefix whose JSON, without the quotes, has at most `most` bytes; never splits a character. */
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

/** The path of a text or list element that continues in the next part. Object fields merge without one. */
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
