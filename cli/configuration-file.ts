import fs from 'node:fs'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type YAMLMap } from 'yaml'
import { listedKinds, SECRET_FIELDS } from '../contract/names.ts'
import { variable } from './config.ts'

type Value = unknown
interface Fields {
  [name: string]: Value
}

/** What is wrong in a file, and where. */
export interface FileFault {
  /** `team.yaml:12`. */
  place: string
  /** In the configuration: `users.2.password`; '' of the file itself. */
  path: string
  message: string
}

/** Configuration files as one, and where each part of it is. */
export interface Files {
  configuration: Fields
  faults: FileFault[]
  /** The file and line of a path in the configuration, or of the next one around it that a file has. */
  placeOf(path: string): string
}

/** Reads files of YAML or JSON as one configuration, `-` from standard input; its secrets from where they are said to be. */
export async function readFiles(names: readonly string[]): Promise<Files> {
  const reader = new Reader()
  for (const name of names)
    reader.read(name, name === '-' ? await readAll(process.stdin) : fs.readFileSync(name, 'utf8'))
  return reader
}

class Reader implements Files {
  readonly configuration: Fields = {}
  readonly faults: FileFault[] = []
  readonly #places = new Map<string, string>()

  read(name: string, text: string): void {
    const lines = new LineCounter()
    const file = name === '-' ? '(standard input)' : name
    const at = (offset: number) => `${file}:${lines.linePos(offset).line}`
    const documents = parseAllDocuments(text, { lineCounter: lines })
    for (const document of documents) {
      const wrong = document.errors.map(({ pos, message }) => ({
        place: at(pos[0]),
        path: '',
        message: message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '',
      }))
      this.faults.push(...wrong)
      if (wrong.length > 0 || document.contents === null) continue
      const root = document.contents as Node
      if (!isMap(root)) {
        this.faults.push({
          place: at(root.range?.[0] ?? 0),
          path: '',
          message: 'must have the kinds of a configuration as its keys',
        })
        continue
      }
      const folder = name === '-' ? process.cwd() : path.dirname(name)
      this.#merge(document.toJS({ maxAliasCount: 100 }) as Fields, { root, at, folder })
    }
  }

  placeOf(text: string): string {
    for (let rest = text; ; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('.')))) {
      const place = this.#places.get(rest)
      if (place !== undefined || rest === '') return place ?? ''
    }
  }

  /** Adds a document: entries of lists to those that are there, sections of settings field by field. */
  #merge(document: Fields, from: { root: YAMLMap; at: (offset: number) => string; folder: string }): void {
    const { configuration } = this
    for (const [kind, value] of Object.entries(document)) {
      const node = from.root.get(kind, true) as Node | undefined
      if (listedKinds.some((one) => one === kind) && Array.isArray(value)) {
        const list = (configuration[kind] as Value[] | undefined) ?? []
        for (const [i, entry] of value.entries()) {
          const part = isSeq(node) ? (node.items[i] as Node) : undefined
          this.#note(`${kind}.${list.length}`, part, from.at)
          list.push(
            this.#withSecrets(entry, {
              path: `${kind}.${list.length}`,
              fields: SECRET_FIELDS[kind] ?? [],
              folder: from.folder,
            }),
          )
        }
        configuration[kind] = list
      } else if (kind === 'settings' && isFields(value)) {
        const settings = (configuration.settings as Fields | undefined) ?? {}
        this.#note(kind, node, from.at)
        for (const [section, fields] of Object.entries(value)) {
          const secrets = SECRET_FIELDS[`settings.${section}`] ?? []
          const given = this.#withSecrets(fields, { path: `settings.${section}`, fields: secrets, folder: from.folder })
          settings[section] =
            isFields(given) && isFields(settings[section]) ? { ...settings[section], ...given } : given
        }
        configuration.settings = settings
      } else {
        this.#note(kind, node, from.at)
        configuration[kind] = value
      }
      if (!this.#places.has(kind)) this.#notePlace(kind, node, from.at)
    }
  }

  /** Remembers where a node is, and what is in it. */
  #note(at: string, node: Node | undefined, place: (offset: number) => string): void {
    this.#notePlace(at, node, place)
    if (isSeq(node)) for (const [i, item] of node.items.entries()) this.#note(`${at}.${i}`, item as Node, place)
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : String(key)
      const inner = value === null || isAlias(value) ? undefined : (value as Node)
      this.#note(`${at}.${name}`, inner, place)
      // The line of a field is that of its name.
      this.#notePlace(`${at}.${name}`, key as Node, place)
    }
  }

  #notePlace(at: string, node: Node | undefined, place: (offset: number) => string): void {
    if (node?.range) this.#places.set(at, place(node.range[0]))
  }

  /** An entry with its secrets, which the file says where to find; a field whose secret cannot be had is left out. */
  #withSecrets(
    entry: Value,
    { path: at, fields, folder }: { path: string; fields: readonly string[]; folder: string },
  ): Value {
    if (!isFields(entry)) return entry
    const found = Object.entries(entry).flatMap(([field, value]): [string, Value][] => {
      if (!fields.includes(field) || value === null) return [[field, value]]
      const secret = secretOf(value, folder)
      if (typeof secret === 'string') return [[field, secret]]
      this.faults.push({ place: this.placeOf(`${at}.${field}`), path: `${at}.${field}`, message: secret.message })
      return []
    })
    return Object.fromEntries(found)
  }
}

const isFields = (value: Value): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A secret from a variable of the environment or a file, or why it cannot be had. */
function secretOf(value: Value, folder: string): string | { message: string } {
  const [source, ...others] = isFields(value) ? Object.entries(value) : []
  const [kind, name] = source ?? []
  if (others.length > 0 || typeof name !== 'string' || (kind !== 'env' && kind !== 'file'))
    return { message: 'is a secret: name where it is, {env: VARIABLE} or {file: PATH}' }
  if (kind === 'env') return variable(name) ?? { message: `is to be in the variable ${name}, which is not set` }
  try {
    return (
      fs.readFileSync(path.resolve(folder, name), 'utf8').replace(/\r?\n$/, '') || { message: `is empty in ${name}` }
    )
  } catch (error) {
    return { message: `cannot be read: ${(error as Error).message}` }
  }
}
