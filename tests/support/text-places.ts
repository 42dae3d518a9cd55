import type { Schema } from './hostile.ts'

/** A place in a value: names of fields, and numbers of items. */
export type Place = readonly string[]

/** The places of all texts in a value. */
export function textsIn(value: unknown): string[][] {
  if (typeof value === 'string') return [[]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => textsIn(one).map((place) => [name, ...place]))
}

/** A copy of a value with another text at a place. */
export function withText(value: unknown, [name, ...rest]: Place, text: string): unknown {
  if (name === undefined) return text
  if (Array.isArray(value)) return value.map((one, i) => (String(i) === name ? withText(one, rest, text) : one))
  const all = value as Record<string, unknown>
  return { ...all, [name]: withText(all[name], rest, text) }
}

/** The shapes that a value may have at a place within one of this shape. */
function inside({ properties, patternProperties, items }: Schema): [string, Schema][] {
  const fields = Object.entries(properties ?? {})
  const others = Object.values(patternProperties ?? {}).map((one): [string, Schema] => ['*', one])
  return [...fields, ...others, ...(items ? ([['[]', items]] as [string, Schema][]) : [])]
}

/** The shapes of all texts that a value of this shape may have, but for those of a given list. */
export function textShapes(shape: Schema, at: Place = []): { at: Place; shape: Schema }[] {
  const own = shape.type === 'string' && !shape.enum && shape.const === undefined ? [{ at, shape }] : []
  return [
    ...own,
    ...(shape.anyOf ?? []).flatMap((one) => textShapes(one, at)),
    ...inside(shape).flatMap(([name, one]) => textShapes(one, [...at, name])),
  ]
}

/** The shapes of the text at a place of a value of this shape. */
export function shapesAt(shape: Schema, place: Place): Schema[] {
  const [name, ...rest] = place
  const alternatives = (shape.anyOf ?? []).flatMap((one) => shapesAt(one, place))
  if (name === undefined) return shape.type === 'string' ? [shape, ...alternatives] : alternatives
  const next = inside(shape).filter(([one]) => one === name || one === '*' || one === '[]')
  return [...alternatives, ...next.flatMap(([, one]) => shapesAt(one, rest))]
}
