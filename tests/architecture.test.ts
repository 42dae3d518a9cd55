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
  { files: 'cli/!(strongroom).ts', may: ['cli/**', 'client/!(derived).ts', 'contract/{names,csv}.ts', 'npm:yaml'] },
  { files: 'cli/minio/*.ts', may: ['cli/**', 'contract/names.ts', 'npm:saxes'] },
  { files: 'cli/strongroom.ts', may: ['cli/main.ts', 'server/main.ts'] },
  { files: 'console/**', may: ['console/**', 'client/**', 'contract/**', 'npm'] },
  // The frame stands on the features, they on the parts they share; only router.tsx and main.tsx know the frame.
  {
    files: 'console/src/features/**',
    may: ['console/src/{features,ui,api,navigation}/**', 'console/src/*.ts', 'client/**', 'contract/**', 'npm'],
  },
  {
    files: 'console/src/{ui,api}/**',
    may: ['console/src/{ui,api,navigation}/**', 'console/src/*.ts', 'client/**', 'contract/**', 'npm'],
  },
  {
    files: 'server/**/store.ts',
    may: [
      'contract/**',
      'server/db/**',
      'server/**/store.ts',
      'server/base/time.ts',
      'server/base/key-order.ts',
      'npm:kysely',
    ],
  },
  // What an upgrade did once it does always: live code changes.
  {
    files: 'server/db/migrations/{types.ts,*/*.ts}',
    may: ['server/db/migrations/types.ts', 'OWN/*', 'npm:kysely'],
  },
]

/** The layers of server/, from the roof to the cellar: a file imports files of its own layer and of those below it. */
const layers: readonly (readonly string[])[] = [
  ['server/main.ts'],
  ['server/process/**'],
  ['server/fronts/**'],
  ['server/features/**'],
  ['server/storage/**'],
  ['server/access/**'],
  ['server/blobs/**', 'server/work/**', 'server/at-stop.ts'],
  ['server/context.ts'],
  ['server/observe/**', 'server/encryption/**', 'server/iam/**'],
  ['server/drivers/**', 'server/db/**', 'server/outbound/**', 'server/http/**'],
  ['server/config/**'],
  ['server/secrets/**', 'server/segments/**'],
  ['server/base/**'],
]
/** Where each folder is a room of its own; elsewhere all files below a folder of server/ are one. */
const divided = ['server/fronts', 'server/features', 'server/storage', 'server/access', 'server/blobs']
const mostFloors = 16

/** Files besides store.ts that may write to tables, each with its reason. Their writes are for their own room as well. */
const writers: { [file: string]: string } = {
  'server/features/audit/chain.ts':
    'tables of their own: links, head and checkpoints, which only sealing, purging and verifying use',
  'server/features/policies/items.ts':
    'what a run has listed: written by INSERT … SELECT over the statement that matches',
  'server/features/webhooks/retention.ts': 'a worker whose whole work is three statements that delete',
  'server/features/webhooks/queue.ts':
    'claims, leases and outcomes of deliveries: the SQL of the dispatcher, apart from the API’s',
}

/** What only some files may say. */
const wordRules = [
  // main.ts hands the environment on; runtime.ts sets the size of libuv's pool before anything uses it.
  {
    word: /\bprocess\.env\b(?![.?[])/g,
    only: ['server/config/config.ts', 'server/main.ts', 'server/process/runtime.ts', 'cli/config.ts'],
  },
  { word: /\bprocess\.env[.?[]/g, only: ['server/config/config.ts', 'server/process/runtime.ts', 'cli/config.ts'] },
  // The core speaks values; fronts own requests and answers.
  { word: /['"]@?fastify['"/]/g, only: ['server/fronts/**', 'server/http/validation.ts'] },
  // Which locks are over depends on whether the clock is to be believed.
  {
    word: /\blocked_until\b['"`]?\s*,?\s*['"`]?\s*[<>]|[<>]=?\s*(?:\w+\??\.)*locked_until\b|\b(?:lock|retention|before|after)\??\.until\s*[<>]|(?<!=)[<>]=?\s*(?:lock|retention|before|after)\??\.until\b|\((?:\w+\??\.)*locked_until\) ?[<>]/g,
    only: ['server/storage/locks/**'],
  },
  { word: /\.transaction\(/g, only: ['server/context.ts', 'server/db/sqlite/**', 'server/db/postgres/**'] },
  {
    word: /node:sqlite|\b(Postgres|Sqlite)Dialect\b|['"]pg['"]/g,
    only: ['server/db/sqlite/**', 'server/db/postgres/**'],
  },
  // A spread of a literal only keeps several properties on a line; it costs a reader a stop, and hides wrong properties.
  {
    word: /\.\.\.\{|\.\.\.\(?\[(?:[^[\]]|\[[^\]]*\])*\](?: as const\))?(?=\s*[,}\]])/g,
    only: [],
  },
  // A text of others may have `$&` in it: as a replacement it is made by a function, which is taken as it is.
  {
    word: /\.replace(All)?\(('[^'\n]*'|[\w.]+|\/([^/\\\n[]|\\.|\[(\\.|[^\]\\\n])*\])+\/\w*), (`|\w+[.)[])/g,
    only: [],
  },
]

/** Packages that only some files may import: others take what is made of them. */
const packageRules = [
  {
    packages: ['wouter', 'regexparam', '@tanstack/history'],
    files: 'console/src/**',
    only: 'console/src/navigation/**',
  },
]

/**
 * Collections that fill while the process runs and are not made by `perSystem`, each with its reason: none holds anything
 * of one service. Tables that are written out in the source are no state.
 */
const collections: { [declaration: string]: string } = {
  'server/secrets/passwords.ts decoys': 'a hash that no password matches for each cost: made again it would be as good',
  'server/iam/outlook.ts allowing': 'what policies allow by themselves, gone with them: read from them alone',
  'server/db/errors.ts noted': 'a mark on an error, gone with it',
  'server/observe/requests.ts counted': 'of a connection, gone with it',
  'server/fronts/s3/requests/signature/credential.ts scopes': 'what texts say, whoever sends them to whichever service',
  'server/http/validation.ts writers': 'compiled once for each schema of the contract',
  'server/observe/log.ts ofRequests': 'a mark on a logger, gone with it',
  'server/storage/usage/traffic.ts bucketOf': 'of a request, gone with it',
  'server/access/sessions/caller.ts rightsIn': 'what rows say, gone with them',
  'server/access/identity-policies/of-user.ts compiled':
    'what texts of policies say, whoever has them: few, the oldest go',
  'server/access/policies/book.ts books': 'what policies say, by tokens that are given once: few, the oldest go',
}

const emptyNames = /^(manager|helper|util|data|info|dto)s?$/
/** Lines of a file of server/. A longer one is two things, or has to be excepted here with its reason. */
const mostLines = 300
const mostParameters = 4

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
    for (const { index, count } of findFunctions(text))
      if (count > mostParameters) report(index, `takes ${count} parameters in a row`)
    // The page has a database of its own, the browser's.
    for (const { word, only } of wordRules.filter((one) => !file.startsWith('console/') || one.only.length === 0))
      for (const { index, 0: said } of only.some((one) => path.matchesGlob(file, one)) ? [] : text.matchAll(word))
        report(index, `says ${said}, for ${only.join(' and ') || 'no file'} alone`)
    for (const { index, from, names } of findImports(text)) {
      const target = resolve(file, from)
      for (const { files, may } of importRules)
        if (path.matchesGlob(file, files) && !may.some((allowed) => matches(target, allowed, file)))
          report(index, `imports ${target}`)
      for (const { packages, files, only } of packageRules)
        if (packages.includes(from) && path.matchesGlob(file, files) && !path.matchesGlob(file, only))
          report(index, `imports ${from}, for ${only} alone`)
      if (Number.isFinite(layerOf(file)) && layerOf(target) < layerOf(file))
        report(index, `imports ${target}, of a layer above it`)
      if (!file.startsWith('server/db/') && path.matchesGlob(target, 'server/db/{sqlite,postgres}/**'))
        report(index, `imports ${target}, of one engine`)
      if (roomOf(file) === roomOf(target)) continue
      const called = storeWrites(target, tree).find((write) => names(write))
      if (called) report(index, `uses ${called} of ${target}, a write, for its own room alone`)
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

/** The index of a file's layer; infinite for what is not in server/. */
function layerOf(file: string): number {
  const layer = layers.findIndex((globs) => globs.some((glob) => path.matchesGlob(file, glob)))
  return layer < 0 ? Number.POSITIVE_INFINITY : layer
}

/** The folder a file of server/ belongs to, or the file itself where it lies in server/. */
function roomOf(file: string): string {
  const [, , ...within] = path.posix.dirname(file).split('/')
  if (!file.slice('server/'.length).includes('/')) return file
  const folder = file.split('/', 2).join('/')
  return within.length > 0 && divided.includes(folder) ? `${folder}/${within[0]}` : folder
}

/** The rooms of server/ as a tree of their own, each with an import for every other room that its files import. */
function readRooms(): Map<string, string> {
  const rooms = new Map<string, Set<string>>()
  for (const [file, text] of readTree()) {
    if (!file.startsWith('server/')) continue
    const own = rooms.get(roomOf(file)) ?? new Set()
    rooms.set(roomOf(file), own)
    for (const { from } of findImports(text)) {
      const target = resolve(file, from)
      if (target.startsWith('server/') && roomOf(target) !== roomOf(file)) own.add(roomOf(target))
    }
  }
  const importOf = (room: string, other: string) => `import './${path.posix.relative(path.posix.dirname(room), other)}'`
  return new Map([...rooms].map(([room, others]) => [room, [...others].map((one) => importOf(room, one)).join('\n')]))
}

/** How many floors a tree without circles has: the files of its longest chain of imports. */
function countFloors(tree: Map<string, string>): number {
  const known = new Map<string, number>()
  const floorOf = (file: string): number => {
    const below = [...findImports(tree.get(file) ?? '')].map(({ from }) => resolve(file, from))
    const floor = known.get(file) ?? 1 + Math.max(0, ...below.filter((one) => tree.has(one)).map(floorOf))
    known.set(file, floor)
    return floor
  }
  return Math.max(...[...tree.keys()].map(floorOf))
}

const WRITES =
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql(?:<[^`]*>)?`\s*(?:insert|update|delete|merge)\b/gi
const COLLECTIONS =
  /^(?:export )?(?:const|let) (\w+)[^=\n]*=\s+(?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|countPerMinute\()/gm
const isWriter = (file: string): boolean => path.matchesGlob(file, 'server/**/store.ts') || Object.hasOwn(writers, file)

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

/** Functions and types of functions, with how many parameters they take one after the other. */
function* findFunctions(text: string) {
  for (const { index } of text.matchAll(/\(/g)) {
    const { end, count } = readParameters(text, index)
    const named = /\bfunction\s*\*?\s*\w*(<[^()]*>)?$/.test(text.slice(Math.max(0, index - 80), index))
    if (named || /^\s*(:\s*[\w<>[\]{}|&?.,'"\s]+?)?=>/.test(text.slice(end + 1, end + 200))) yield { index, count }
  }
}

/** Where the bracket that opens at `start` is closed, and how many items lie in it. */
function readParameters(text: string, start: number): { end: number; count: number } {
  let depth = 0
  let item = false
  let count = 0
  for (let end = start; end < text.length; end++) {
    const letter = text[end] as string
    const isType = letter === '<' && /\w/.test(text[end - 1] ?? '')
    if ('([{'.includes(letter) || isType) depth++
    else if (')]}'.includes(letter) || (letter === '>' && text[end - 1] !== '=' && depth > 1)) depth--
    if (depth === 0) return { end, count }
    if (depth === 1 && letter === ',') item = false
    else if (end > start && !item && /\S/.test(letter)) {
      item = true
      count++
    }
  }
  return { end: text.length, count }
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
  if (isBuiltin(target))
    return /^(server|cli)\//.test(file) || /^console\/(vite\.config|compressed|pdf)\.ts$/.test(file)
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

test('every file of server/ is in a layer; its rooms import one another in no circle, on few floors', () => {
  for (const file of readTree().keys())
    if (file.startsWith('server/')) assert.ok(Number.isFinite(layerOf(file)), `${file} is in no layer`)
  const rooms = readRooms()
  assert.ok(rooms.size > 30, `${rooms.size} rooms`)
  assert.deepEqual(findCircles(rooms), [])
  assert.ok(countFloors(rooms) <= mostFloors, `${countFloors(rooms)} floors`)
})

test('floors are counted along the longest chain', () => {
  const tree = new Map([
    ['a', "import './b'\nimport './d'"],
    ['b', "import './c'"],
    ['c', "import './d'\nimport 'node:fs'"],
    ['d', ''],
  ])
  assert.equal(countFloors(tree), 4)
})

test('half of the files of server/ have fewer than 100 lines', () => {
  const lengths = [...readTree()]
    .filter(([file]) => file.startsWith('server/'))
    .map(([, text]) => lineAt(text, text.length))
  const sorted = lengths.toSorted((a, b) => a - b)
  assert.ok((sorted[Math.floor(sorted.length / 2)] ?? 0) <= 100)
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

/** Suites that wait: what is said in one after its first `await` belongs to the whole file (support/untracked.ts). */
const WAITING_SUITE = /\bdescribe(?:Engines|Once|On|Console\w*)?\((?:[^()]|\([^()]*\))*?,\s*async\b/

test('no suite of the tests waits while it is made', () => {
  const suites = ["('of (one)', { skip: say('no') }, async () => {})", 'Engines(\n  `b`,\n  async (engine) => {})']
  for (const suite of suites) assert.match(`describe${suite}`, WAITING_SUITE)
  assert.doesNotMatch("describe('a', () => {\n  before(run, async () => {})\n})", WAITING_SUITE)
  const waiting = fs.globSync('tests/**/*.ts').flatMap((file) => {
    const text = fs.readFileSync(file, 'utf8')
    return [...text.matchAll(new RegExp(WAITING_SUITE, 'g'))].map(({ index }) => `${file}:${lineAt(text, index)}`)
  })
  assert.deepEqual(waiting, [])
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
    ['contract/a.ts', "export * from '../server/base/id.ts'", 'contract/a.ts:1 imports server/base/id.ts'],
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
    ['console/src/navigation/a.ts', "import { Link } from 'wouter'", null],
    [
      'console/src/ui/a.tsx',
      "import '../navigation/Link.tsx'\nimport { Link } from 'wouter'",
      'console/src/ui/a.tsx:2 imports wouter, for console/src/navigation/** alone',
    ],
    ['server/fronts/api/a.ts', "import './b.ts'\nimport type { X } from 'fastify'", null],
    [
      'server/a/service.ts',
      "import type { X } from 'fastify'",
      "server/a/service.ts:1 says 'fastify', for server/fronts/** and server/http/validation.ts alone",
    ],
    [
      'server/features/a/service.ts',
      "\nimport { b } from '../../fronts/api/b.ts'",
      'server/features/a/service.ts:2 imports server/fronts/api/b.ts, of a layer above it',
    ],
    ['server/features/a/service.ts', "import '../../storage/b/service.ts'\nimport '../c/service.ts'", null],
    ['server/storage/a/x.ts', 'const until = row.locked_until === null ? 1 : wait', null],
    [
      'server/storage/a/x.ts',
      'const row = { ...{ a: 1, b: 2 } }',
      'server/storage/a/x.ts:1 says ...{, for no file alone',
    ],
    [
      'console/src/a.ts',
      "const all = [...(['a', 'b'] as const), 'c']",
      "console/src/a.ts:1 says ...(['a', 'b'] as const), for no file alone",
    ],
    ['server/storage/a/x.ts', "const all = [...['a', 'b'].map(named), ...(some ? ['c'] : []), ...rest]", null],
    ...[
      ["e('locked_until', '>', now)", "locked_until', '>"],
      ['if (row.locked_until <= now) go()', 'locked_until <'],
      ['if (now.toISOString() > row.locked_until) go()', '> row.locked_until'],
      ['if (retention.until <= now) go()', 'retention.until <'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text with a template in it.
      ['sql`${now} >= locked_until`', '>= locked_until'],
    ].map(([text, said]): [string, string, string] => [
      'server/storage/a/x.ts',
      text ?? '',
      `server/storage/a/x.ts:1 says ${said}, for server/storage/locks/** alone`,
    ]),
    [
      'server/storage/a/x.ts',
      "import type { B } from '../../features/b/service.ts'",
      'server/storage/a/x.ts:1 imports server/features/b/service.ts, of a layer above it',
    ],
    [
      'server/access/a/x.ts',
      "await import('../../storage/b/x.ts')",
      'server/access/a/x.ts:1 imports server/storage/b/x.ts, of a layer above it',
    ],
    [
      'server/drivers/fs/a.ts',
      "import '../../blobs/write.ts'",
      'server/drivers/fs/a.ts:1 imports server/blobs/write.ts, of a layer above it',
    ],
    ['server/blobs/write.ts', "import '../drivers/driver.ts'\nimport '../context.ts'", null],
    [
      'server/base/a.ts',
      "import '../config/config.ts'",
      'server/base/a.ts:1 imports server/config/config.ts, of a layer above it',
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
      'server/a/service.ts:1 uses insert of server/b/store.ts, a write, for its own room alone',
    ],
    [
      'server/a/worker.ts',
      "import { insert as put } from '../b/store.ts'",
      'server/a/worker.ts:1 uses insert of server/b/store.ts, a write, for its own room alone',
    ],
    ['server/b/service.ts', "import { insert } from './store.ts'", null],
    [
      'server/a/worker.ts',
      "import { add } from '../b/store.ts'",
      'server/a/worker.ts:1 uses add of server/b/store.ts, a write, for its own room alone',
    ],
    ['server/a/bulk.ts', "tx\n.deleteFrom('x')", 'server/a/bulk.ts:2 writes to a table outside of a store.ts'],
    ['server/a/bulk.ts', 'sql`\n  update x`', 'server/a/bulk.ts:1 writes to a table outside of a store.ts'],
    ['server/features/webhooks/queue.ts', "tx.deleteFrom('x')", null],
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
      'server/work/bulk.ts',
      "import { start } from '../process/start.ts'",
      'server/work/bulk.ts:1 imports server/process/start.ts, of a layer above it',
    ],
    ['console/src/a.ts', "a.replace('b', (one) => f(one)).replaceAll(/[/]c/g, '$1')", null],
    ['cli/a.ts', "a.replaceAll('{b}', b)", "cli/a.ts:1 says .replaceAll('{b}', b), for no file alone"],
    ['console/src/a.ts', 'a.replace(/b/, `c`)', 'console/src/a.ts:1 says .replace(/b/, `, for no file alone'],
    ['server/main.ts', '// process.env.X\nreadConfig(process.env)', null],
    [
      'server/main.ts',
      'process.env.X',
      'server/main.ts:1 says process.env., for server/config/config.ts and server/process/runtime.ts and cli/config.ts alone',
    ],
    ['client/a.ts', "import { api } from '../contract/index.ts'", 'client/a.ts:1 imports contract/index.ts'],
    ['client/a.ts', "import 'node:fs'", 'client/a.ts:1 imports node:fs'],
    ['cli/a.ts', "import 'node:fs'\nimport '../server/id.ts'", 'cli/a.ts:2 imports server/id.ts'],
    [
      'server/a/x.ts',
      '\n f(process.env)',
      'server/a/x.ts:2 says process.env, for server/config/config.ts and server/main.ts and server/process/runtime.ts and cli/config.ts alone',
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
    ['server/a/x.ts', 'function f<T>(a: [1, 2], { b, c }: { b: 1, c: 2 }, d: Map<1, 2>, e = g(1, 2),) {}', null],
    [
      'server/a/x.ts',
      'async function f(\n  a,\n  b,\n  c,\n  d,\n  e,\n) {}',
      'server/a/x.ts:1 takes 5 parameters in a row',
    ],
    [
      'console/src/a.ts',
      '\nconst f = (a, b, c, d, e): Promise<1> => 1',
      'console/src/a.ts:2 takes 5 parameters in a row',
    ],
    ['server/a/x.ts', 'f(a, b, c, d, e)\nconst g = () => f(1, 2, 3, 4, 5)', null],
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
