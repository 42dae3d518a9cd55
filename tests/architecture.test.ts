// The import rules of docs/architecture.md as tables. Every breach is reported as file:line.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { test } from 'node:test'

/** What a file may import. OWN is its own folder, `npm` any package. Node's modules are free to all in server/ and to the console's build. */
const importRules = [
  { files: 'contract/**', may: ['contract/**', 'npm:typebox'] },
  // What is published for others needs nothing but the standards of the web; of the contract only what is without shapes.
  { files: 'contract/{names,paths,patterns}.ts', may: [] },
  { files: 'client/!(derived).ts', may: ['client/!(derived).ts', 'contract/paths.ts'] },
  // Not published: the client of those who have the contract.
  { files: 'client/derived.ts', may: ['client/**', 'contract/**'] },
  { files: 'cli/!(strongroom).ts', may: ['cli/**', 'client/!(derived).ts', 'contract/names.ts'] },
  { files: 'cli/strongroom.ts', may: ['cli/main.ts', 'server/main.ts'] },
  { files: 'console/**', may: ['console/**', 'client/**', 'contract/**', 'npm'] },
  // The frame stands on the features, they on the parts they share; only router.tsx and main.tsx know the frame.
  {
    files: 'console/src/features/**',
    may: ['console/src/{features,ui,api}/**', 'console/src/*.ts', 'client/**', 'contract/**', 'npm'],
  },
  {
    files: 'console/src/{ui,api}/**',
    may: ['console/src/{ui,api}/**', 'console/src/*.ts', 'client/**', 'contract/**', 'npm'],
  },
  { files: 'server/*/store.ts', may: ['contract/**', 'server/db/**', 'server/time.ts', 'npm:kysely'] },
  // What an upgrade did once it does always: live code changes.
  {
    files: 'server/db/migrations/{types.ts,*/*.ts}',
    may: ['server/db/migrations/types.ts', 'OWN/*', 'npm:kysely'],
  },
]

/** The roof: nothing in a folder of server/ stands on it, whatever the file is called. A front is imported by the roof alone. */
const roof = ['server/{main,start,commands,once,processes,workers,threads}.ts', 'server/fronts/**']

/** Files besides store.ts that may write to tables, each with its reason. Their writes are for their own folder as well. */
const writers: { [file: string]: string } = {
  'server/audit/chain.ts':
    'tables of their own: links, head and checkpoints, which only sealing, purging and verifying use',
  'server/policies/items.ts': 'what a run has listed: written by INSERT … SELECT over the statement that matches',
  'server/webhooks/retention.ts': 'a worker whose whole work is three statements that delete',
  'server/webhooks/queue.ts':
    'claims, leases and outcomes of deliveries: the SQL of the dispatcher, apart from the API’s',
}

/** What only some files may say. */
const wordRules = [
  // main.ts hands the environment on; threads.ts sets the size of libuv's pool before anything uses it.
  {
    word: /\bprocess\.env\b(?![.?[])/g,
    only: ['server/config.ts', 'server/main.ts', 'server/threads.ts', 'cli/config.ts'],
  },
  { word: /\bprocess\.env[.?[]/g, only: ['server/config.ts', 'server/threads.ts', 'cli/config.ts'] },
  // The core speaks values; fronts own requests and answers.
  { word: /['"]@?fastify['"/]/g, only: ['server/fronts/**', 'server/http/validation.ts'] },
  { word: /\.transaction\(/g, only: ['server/context.ts', 'server/db/sqlite/**', 'server/db/postgres/**'] },
  {
    word: /node:sqlite|\b(Postgres|Sqlite)Dialect\b|['"]pg['"]/g,
    only: ['server/db/sqlite/**', 'server/db/postgres/**'],
  },
]

/**
 * Collections that fill while the process runs and are not made by `perSystem`, each with its reason: none holds anything
 * of one service. Tables that are written out in the source are no state.
 */
const collections: { [declaration: string]: string } = {
  'server/auth/passwords.ts decoys': 'a hash that no password matches for each cost: made again it would be as good',
  'server/db/errors.ts noted': 'a mark on an error, gone with it',
  'server/fronts/api/observe.ts counted': 'of a connection, gone with it',
  'server/http/validation.ts writers': 'compiled once for each schema of the contract',
  'server/log.ts ofRequests': 'a mark on a logger, gone with it',
  'server/usage/traffic.ts bucketOf': 'of a request, gone with it',
}

const emptyNames = /^(manager|helper|util|data|info|dto)s?$/
const mostLines = 300

/** Every breach in a tree of path → text, in reading order. */
function findBreaches(tree: Map<string, string>): string[] {
  const breaches: string[] = []
  for (const [file, source] of tree) {
    // Comments that begin a line may say anything; the line stays, for the numbers.
    const text = source.replace(/^[ \t]*(\/\/|\/?\*).*$/gm, '')
    const report = (index: number, what: string) => breaches.push(`${file}:${lineAt(text, index)} ${what}`)

    if (file.split(/[/._-]|(?<=[a-z])(?=[A-Z])/).some((word) => emptyNames.test(word.toLowerCase())))
      report(0, 'has a name that says nothing')
    if (file.startsWith('server/') && lineAt(text, text.length) - 1 > mostLines)
      report(text.length, `has more than ${mostLines} lines`)
    // The page has a database of its own, the browser's.
    for (const { word, only } of file.startsWith('console/') ? [] : wordRules)
      for (const { index, 0: said } of only.some((one) => path.matchesGlob(file, one)) ? [] : text.matchAll(word))
        report(index, `says ${said}, for ${only.join(' and ')} alone`)
    for (const { index, from, names } of findImports(text)) {
      const target = resolve(file, from)
      for (const { files, may } of importRules)
        if (path.matchesGlob(file, files) && !may.some((allowed) => matches(target, allowed, file)))
          report(index, `imports ${target}`)
      if (path.matchesGlob(file, 'server/*/**'))
        if (!(inFronts(file) && inFronts(target)) && roof.some((one) => path.matchesGlob(target, one)))
          report(index, `imports ${target}, which stands on it`)
      if (!file.startsWith('server/db/') && path.matchesGlob(target, 'server/db/{sqlite,postgres}/**'))
        report(index, `imports ${target}, of one engine`)
      if (path.dirname(target) === path.dirname(file)) continue
      const called = storeWrites(target, tree).find((write) => names(write))
      if (called) report(index, `uses ${called} of ${target}, a write, for its own folder alone`)
    }
    // A page is one service's.
    for (const { index, 1: name } of file.startsWith('console/') ? [] : text.matchAll(COLLECTIONS))
      if (!Object.hasOwn(collections, `${file} ${name}`)) report(index, `keeps ${name} outside of perSystem`)
    // The schema and its migrations are the database's own.
    if (file.startsWith('server/') && !file.startsWith('server/db/') && !isWriter(file))
      for (const { index } of text.matchAll(WRITES)) report(index, 'writes to a table outside of a store.ts')
  }
  return breaches
}

const inFronts = (file: string): boolean => file.startsWith('server/fronts/')

const WRITES =
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql(?:<[^`]*>)?`\s*(?:insert|update|delete|merge)\b/gi
const COLLECTIONS =
  /^(?:export )?(?:const|let) (\w+)[^=\n]*=\s+(?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|countPerMinute\()/gm
const isWriter = (file: string): boolean => path.matchesGlob(file, 'server/*/store.ts') || Object.hasOwn(writers, file)

/** Groups of files that import one another in a circle, be it only for types. */
function findCircles(tree: Map<string, string>): string[][] {
  const reaches = new Map<string, Set<string>>()
  const imported = new Map(
    [...tree].map(([file, text]) => [file, [...findImports(text)].map(({ from }) => resolve(file, from))]),
  )
  for (const file of tree.keys()) {
    const seen = new Set<string>()
    const waiting = [...(imported.get(file) ?? [])]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...(imported.get(next) ?? []))
    }
    reaches.set(file, seen)
  }
  const mutual = (file: string) =>
    [...(reaches.get(file) ?? [])].filter((other) => reaches.get(other)?.has(file)).sort()
  const circles = [...tree.keys()].map(mutual).filter((circle) => circle.length > 0)
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()]
}

/** The imports and re-exports of a file; `names(x)` says whether the file takes or uses x of what it imports. */
function* findImports(text: string) {
  for (const found of text.matchAll(/(?:\b(?:import|export)\b([^'"`;()]*?)\bfrom|\bimport)\s*\(?\s*(['"])(.+?)\2/g)) {
    const [whole, clause = '', , from = ''] = found
    const space = clause.match(/\*\s+as\s+(\w+)/)?.[1]
    const names = (name: string) =>
      new RegExp(space ? `\\b${space}\\.${name}\\b` : `\\b${name}\\b`).test(space ? text : clause)
    yield { index: found.index + whole.length, from, names }
  }
}

/** The exports of what writes whose first parameter is `tx`, prepared or not; none of any other file. */
function storeWrites(file: string, tree: Map<string, string>): string[] {
  if (!isWriter(file)) return []
  const exported = /^export (?:async )?(?:function|const) (\w+)[^(\n]*\((?:\s*\()?\s*tx\b/gm
  return [...(tree.get(file) ?? '').matchAll(exported)].map(([, name]) => name as string)
}

function resolve(file: string, from: string): string {
  if (from.startsWith('.')) return path.posix.join(path.posix.dirname(file), from)
  if (isBuiltin(from)) return from
  return `npm:${from.match(/^(@[^/]+\/)?[^/]+/)?.[0]}`
}

function matches(target: string, allowed: string, file: string): boolean {
  if (target.startsWith('npm:')) return allowed === 'npm' || allowed === target
  if (isBuiltin(target)) return /^(server|cli)\//.test(file) || file === 'console/vite.config.ts'
  return path.matchesGlob(target, allowed.replace('OWN', path.posix.dirname(file)))
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function readTree(): Map<string, string> {
  const root = path.dirname(import.meta.dirname)
  const files = fs.globSync('{contract,server,console,client,cli}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules', '**/dist'],
  })
  const inOrder = files.map((file) => file.replaceAll(path.sep, '/')).sort()
  return new Map(inOrder.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))
}

test('the tree keeps its import rules', () => {
  assert.equal(findBreaches(readTree()).join('\n'), '')
})

test('files import one another in no circle', () => {
  assert.deepEqual(findCircles(readTree()), [])
  const circle = new Map([
    ['a.ts', "import { b } from './b.ts'"],
    ['b.ts', "import './c.ts'"],
    ['c.ts', "export * from './a.ts'\nimport './d.ts'"],
    ['d.ts', "import type { A } from './e.ts'"],
    ['e.ts', "import type { D } from './d.ts'"],
  ])
  assert.deepEqual(findCircles(circle), [
    ['a.ts', 'b.ts', 'c.ts'],
    ['d.ts', 'e.ts'],
  ])
})

test('features of the console depend on one another in no circle', () => {
  const folderOf = (file: string) => file.match(/^console\/src\/(?:features\/)?[^/]+(?=\/)/)?.[0]
  const folders = new Map<string, string>()
  for (const [file, text] of readTree()) {
    const folder = folderOf(file)
    if (!folder) continue
    const others = [...findImports(text)].map(({ from }) => folderOf(resolve(file, from)))
    const imports = others
      .filter((other) => other !== undefined && other !== folder)
      .map((other) => `import './${path.posix.relative(path.posix.dirname(folder), other as string)}'`)
    folders.set(folder, [folders.get(folder) ?? '', ...imports].join('\n'))
  }
  assert.ok(folders.size > 15, `${folders.size} folders`)
  assert.deepEqual(findCircles(folders), [])
})

test('workers, whose names are labels of metrics, are named alike', () => {
  const every = [...readTree()].filter(([file]) => file.startsWith('server/'))
  const names = every.flatMap(([, text]) => [...text.matchAll(/\bname: '([^']+)',\s+every:/g)].map(([, name]) => name))
  assert.ok(names.length >= 15, `${names.length} workers`)
  for (const name of names) assert.match(name ?? '', /^[a-z]+(-[a-z]+)*$/)
})

test('every rule is alive', () => {
  const store =
    'export const find = (db: Db) => 1\nexport const add = prepared((tx: Tx) => 1)\nexport const insert = async <T>(\n  tx: Tx,\n) => 1\n'
  const lines = (count: number) => 'x()\n'.repeat(count)
  const cases: [file: string, text: string, breach: string | null][] = [
    ['contract/a.ts', "import { Type } from 'typebox'\nimport { Value } from 'typebox/value'\nimport './b.ts'", null],
    ['contract/a.ts', "import {\n  readFile,\n} from 'node:fs'", 'contract/a.ts:3 imports node:fs'],
    ['contract/a.ts', "export * from '../server/id.ts'", 'contract/a.ts:1 imports server/id.ts'],
    ['console/a.tsx', "import type { X } from '../server/x.ts'", 'console/a.tsx:1 imports server/x.ts'],
    [
      'console/src/ui/a.tsx',
      "import '../features/b/c.ts'",
      'console/src/ui/a.tsx:1 imports console/src/features/b/c.ts',
    ],
    [
      'console/src/features/a/b.tsx',
      "import { Shell } from '../../shell/Shell.tsx'",
      'console/src/features/a/b.tsx:1 imports console/src/shell/Shell.tsx',
    ],
    ['server/fronts/api/a.ts', "import './b.ts'\nimport type { X } from 'fastify'", null],
    [
      'server/a/service.ts',
      "import type { X } from 'fastify'",
      "server/a/service.ts:1 says 'fastify', for server/fronts/** and server/http/validation.ts alone",
    ],
    [
      'server/a/service.ts',
      "\nimport { b } from '../fronts/api/b.ts'",
      'server/a/service.ts:2 imports server/fronts/api/b.ts, which stands on it',
    ],
    ['server/a/service.ts', "import '../b/service.ts'\nimport './x.ts'\nimport 'jose'\nimport 'node:fs'", null],
    ['server/a/store.ts', "import { sql } from 'kysely'\nimport type { Db } from '../db/schema.ts'", null],
    ['server/a/store.ts', "import '../context.ts'", 'server/a/store.ts:1 imports server/context.ts'],
    [
      'server/a/store.ts',
      "import '../db/sqlite/errors.ts'",
      'server/a/store.ts:1 imports server/db/sqlite/errors.ts, of one engine',
    ],
    ['server/a/service.ts', "import { find } from '../b/store.ts'", null],
    ['server/a/service.ts', "import * as b from '../b/store.ts'\nb.find(db)", null],
    [
      'server/a/service.ts',
      "import * as b from '../b/store.ts'\nb.insert(tx)",
      'server/a/service.ts:1 uses insert of server/b/store.ts, a write, for its own folder alone',
    ],
    [
      'server/a/worker.ts',
      "import { insert as put } from '../b/store.ts'",
      'server/a/worker.ts:1 uses insert of server/b/store.ts, a write, for its own folder alone',
    ],
    ['server/b/service.ts', "import { insert } from './store.ts'", null],
    [
      'server/a/worker.ts',
      "import { add } from '../b/store.ts'",
      'server/a/worker.ts:1 uses add of server/b/store.ts, a write, for its own folder alone',
    ],
    ['server/a/bulk.ts', "tx\n.deleteFrom('x')", 'server/a/bulk.ts:2 writes to a table outside of a store.ts'],
    ['server/a/bulk.ts', 'sql`\n  update x`', 'server/a/bulk.ts:1 writes to a table outside of a store.ts'],
    ['server/webhooks/queue.ts', "tx.deleteFrom('x')", null],
    [
      'server/db/migrations/1/index.ts',
      "import '../types.ts'\nimport './x.ts'\nimport 'kysely'\nimport 'node:crypto'",
      null,
    ],
    [
      'server/db/migrations/1/index.ts',
      "import '../../../audit/hashes.ts'",
      'server/db/migrations/1/index.ts:1 imports server/audit/hashes.ts',
    ],
    [
      'server/a/bulk.ts',
      "import { start } from '../start.ts'",
      'server/a/bulk.ts:1 imports server/start.ts, which stands on it',
    ],
    ['server/main.ts', '// process.env.X\nreadConfig(process.env)', null],
    [
      'server/main.ts',
      'process.env.X',
      'server/main.ts:1 says process.env., for server/config.ts and server/threads.ts and cli/config.ts alone',
    ],
    ['client/a.ts', "import { api } from '../contract/index.ts'", 'client/a.ts:1 imports contract/index.ts'],
    ['client/a.ts', "import 'node:fs'", 'client/a.ts:1 imports node:fs'],
    ['cli/a.ts', "import 'node:fs'\nimport '../server/id.ts'", 'cli/a.ts:2 imports server/id.ts'],
    [
      'server/a/x.ts',
      '\n f(process.env)',
      'server/a/x.ts:2 says process.env, for server/config.ts and server/main.ts and server/threads.ts and cli/config.ts alone',
    ],
    [
      'server/a/x.ts',
      'db.transaction()',
      'server/a/x.ts:1 says .transaction(, for server/context.ts and server/db/sqlite/** and server/db/postgres/** alone',
    ],
    [
      'server/a/x.ts',
      "import pg from 'pg'",
      "server/a/x.ts:1 says 'pg', for server/db/sqlite/** and server/db/postgres/** alone",
    ],
    ['server/a/x.ts', '\nconst known = new WeakMap<Config, A>()', 'server/a/x.ts:2 keeps known outside of perSystem'],
    ['server/a/x.ts', 'const flood = countPerMinute(9)', 'server/a/x.ts:1 keeps flood outside of perSystem'],
    ['server/a/x.ts', 'const of = perSystem(() => new Map<A, B>())\nconst table = new Set([1])', null],
    ['server/a/metadata.ts', lines(300), null],
    ['server/a/x.ts', lines(301), 'server/a/x.ts:302 has more than 300 lines'],
    ['server/a/urlHelpers.ts', '', 'server/a/urlHelpers.ts:1 has a name that says nothing'],
  ]
  for (const [file, text, breach] of cases) {
    const tree = new Map([['server/b/store.ts', store]]).set(file, text)
    assert.deepEqual(findBreaches(tree), breach === null ? [] : [breach], text)
  }
})

test('a class is of one style sheet: which of two comes later depends on what was opened before', () => {
  const sheets = new Map<string, string[]>()
  for (const file of fs.globSync('console/src/**/*.css', { cwd: path.join(import.meta.dirname, '..') }))
    for (const [, name = ''] of fs
      .readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')
      .matchAll(/^\.([\w-]+)(?:,| \{)/gm))
      sheets.set(name, [...new Set([...(sheets.get(name) ?? []), file])])
  assert.ok(sheets.size > 100)
  assert.deepEqual(
    [...sheets].filter(([, files]) => files.length > 1),
    [],
  )
})
