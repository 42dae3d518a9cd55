import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

/** A regular expression in the source. */
export interface Expression {
  /** `file:line`. */
  at: string
  source: string
  flags: string
}

/** A node of a syntax tree (ESTree). */
type Node = { type: string; start: number; [field: string]: unknown }

const root = path.join(import.meta.dirname, '..', '..')
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

/** Adds a node and all below it to a list. */
function collect(node: Node, into: Node[]): void {
  into.push(node)
  for (const name in node) {
    const value = node[name]
    if (Array.isArray(value)) {
      for (const one of value) if (isNode(one)) collect(one, into)
    } else if (isNode(value)) collect(value, into)
  }
}

/** The files whose expressions are looked at, as paths from the root. */
export const filesOf = (folders: readonly string[]): string[] =>
  fs
    .globSync(
      folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
      { cwd: root },
    )
    .sort()

/**
 * Every regular expression in a file: literals, and what `RegExp` is called with. Throws where a text cannot be told from
 * constants alone, unless `dynamic` knows the texts that are possible there.
 */
export function expressionsIn(file: string, dynamic: ReadonlyMap<string, readonly string[]>): Expression[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  return nodesOf(file).flatMap((node): Expression[] => {
    const at = `${file}:${text.slice(0, node.start).split('\n').length}`
    const regex = node.regex as { pattern: string; flags: string } | undefined
    if (node.type === 'Literal' && regex) return [{ at, source: regex.pattern, flags: regex.flags }]
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return []
    if ((node.callee as Node).name !== 'RegExp') return []
    const [source, flags] = node.arguments as Node[]
    const sources = dynamic.get(file) ?? [textOf(source as Node, file, at)]
    return sources.map((one) => ({ at, source: one, flags: flags ? textOf(flags, file, at) : '' }))
  })
}

const trees = new Map<string, Node>()
function treeOf(file: string): Node {
  const found =
    trees.get(file) ??
    (parseAst(fs.readFileSync(path.join(root, file), 'utf8'), {
      lang: file.endsWith('x') ? 'tsx' : 'ts',
    }) as unknown as Node)
  trees.set(file, found)
  return found
}

const nodes = new Map<string, readonly Node[]>()
/** All nodes of a file. */
function nodesOf(file: string): readonly Node[] {
  const known = nodes.get(file)
  if (known) return known
  const found: Node[] = []
  collect(treeOf(file), found)
  nodes.set(file, found)
  return found
}

/** What a constant of a file is. */
function declaredAs(name: string, file: string): Node | undefined {
  for (const one of treeOf(file).body as Node[]) {
    const declared = (one.type === 'ExportNamedDeclaration' ? one.declaration : one) as Node | null
    for (const { id, init } of (declared?.declarations ?? []) as { id: Node; init: Node }[])
      if (id.name === name) return init
  }
  return undefined
}

/** A text that is made of constants, of this file or of those that it imports from. */
function textOf(node: Node, file: string, at: string): string {
  const read = (one: unknown): string => textOf(one as Node, file, at)
  if (node.type === 'Literal') return String(node.value)
  if (node.type === 'TSAsExpression') return read(node.expression)
  if (node.type === 'TemplateLiteral') {
    const values = (node.expressions as Node[]).map(read)
    return (node.quasis as Node[])
      .map(({ value }, i) => (value as { cooked: string }).cooked + (values[i] ?? ''))
      .join('')
  }
  if (node.type === 'CallExpression') {
    const { object, property } = node.callee as { object?: Node; property?: Node }
    const list = object?.type === 'Identifier' ? declaredAs(object.name as string, file) : object
    if (list?.type === 'ArrayExpression' && property?.name === 'join')
      return (list.elements as Node[]).map(read).join(read((node.arguments as Node[])[0]))
  }
  if (node.type === 'Identifier') {
    const declared = declaredAs(node.name as string, file)
    if (declared) return textOf(declared, file, at)
    for (const one of treeOf(file).body as Node[]) {
      const imported =
        one.type === 'ImportDeclaration' &&
        (one.specifiers as { local: Node }[]).some(({ local }) => local.name === node.name)
      if (imported) return textOf(node, path.join(path.dirname(file), String((one.source as Node).value)), at)
    }
  }
  throw new Error(`${at}: the expression cannot be told from the source`)
}

/** Headers whose value decides how a request is framed or that it is answered at all: other tests are about those. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'expect', 'host', 'connection'])
const HEADER =
  /^(x-[a-z0-9-]+|(if|content|accept|sec|access-control-request)-[a-z0-9-]+|accept|range|origin|cookie|date)$/

/** The names of headers that files have anywhere in their texts, or ask `headers` for; a start of a name gets an end. */
export function headersNamedIn(files: readonly string[]): string[] {
  const names = files.flatMap((file) =>
    nodesOf(file).flatMap((node): string[] => {
      if (node.type === 'Literal' && typeof node.value === 'string' && HEADER.test(node.value)) return [node.value]
      const { object, property } = node as { object?: Node; property?: Node }
      const isHeader = node.type === 'MemberExpression' && (object?.name === 'headers' || isHeaders(object))
      return isHeader && /^[a-z]+$/.test(String(property?.name)) ? [String(property?.name)] : []
    }),
  )
  return [...new Set(names)]
    .filter((name) => !FRAMING.has(name) && !['get', 'has', 'set', 'map', 'join', 'length'].includes(name))
    .map((name) => ({ 'x-amz-grant-': 'x-amz-grant-read', 'x-amz-checksum-': 'x-amz-checksum-crc32' })[name] ?? name)
    .map((name) => (name.endsWith('-') ? `${name}a` : name))
    .sort()
}
const isHeaders = (node: Node | undefined): boolean =>
  node?.type === 'MemberExpression' && (node.property as Node | undefined)?.name === 'headers'

/** The first text that calls of a function are given at a place, wherever it is a constant. */
export const textsGiven = (files: readonly string[], callee: string, place: number): string[] => [
  ...new Set(
    files.flatMap((file) =>
      nodesOf(file).flatMap((node): string[] => {
        const given = (node.arguments as Node[] | undefined)?.[place]
        return (node.callee as Node | undefined)?.name === callee && typeof given?.value === 'string'
          ? [given.value]
          : []
      }),
    ),
  ),
]
