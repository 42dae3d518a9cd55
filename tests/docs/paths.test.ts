// What the documentation names of the repository exists: files, folders, the rooms of the server, commits of examples.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
const glob = (pattern: string | readonly string[]) =>
  fs
    .globSync(pattern, { cwd: root, exclude: (name) => /^(node_modules|dist|\.git)$/.test(name) })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort()

const files = glob('**/*')
const exists = new Set(files)
const pages = glob(['*.md', 'docs/**/*.md', 'bench/*.md', 'console/*.md', 'deploy/**/*.md', 'tests/**/*.md'])
/** Pages that people follow with their editor: a path there is given from the root or from server/. */
const guides = ['docs/architecture.md', 'docs/change-it.md']
const folders = 'server|contract|client|cli|console|site|tests|bench|scripts|docs'
const inServer = fs.readdirSync(path.join(root, 'server')).filter((name) => !name.includes('.'))
const OF_FILE = /^[\w.@*{},/-]*\w\.tsx?$/
const OF_FOLDER = new RegExp(`^(${folders}|${inServer.join('|')})/[\\w.@*{},/-]*$`)

/** Paths in inline code, with their lines; parts in angle brackets stand for any name. */
function* pathsOf(page: string): Generator<{ line: number; named: string }> {
  let fenced = false
  for (const [index, text] of page.split('\n').entries()) {
    if (text.trimStart().startsWith('```')) fenced = !fenced
    if (fenced) continue
    for (const [, code = ''] of text.matchAll(/`([^`\s]+)`/g)) {
      const named = code.replaceAll(/<[\w-]+>/g, '*').replace(/\/$/, '')
      if (OF_FILE.test(named) || (OF_FOLDER.test(named) && !/\.(?!tsx?$)\w+$/.test(named)))
        yield { line: index + 1, named }
    }
  }
}

/** Whether the repository has a path: from its root, from server/, or in a page that is no guide from anywhere. */
function isThere(named: string, isGuide: boolean): boolean {
  const isPattern = /[*{]/.test(named)
  const has = (from: string) =>
    isPattern ? files.some((file) => path.matchesGlob(file, from + named)) : exists.has(from + named)
  if (has('') || has('server/')) return true
  if (!isGuide && (isPattern ? has('**/') : files.some((file) => file.endsWith(`/${named}`)))) return true
  // The name of a kind of file, such as store.ts, says which by itself.
  return !named.includes('/') && files.filter((file) => path.basename(file) === named).length > 1
}

/** Faults of a page, as file:line. */
const faultsOf = (name: string, page: string): string[] =>
  [...pathsOf(page)].flatMap(({ line, named }) =>
    isThere(named, guides.includes(name)) ? [] : [`${name}:${line} ${named}`],
  )

test('every path that a page names exists', () => {
  const count = pages.reduce((sum, page) => sum + [...pathsOf(read(page))].length, 0)
  assert.ok(count >= 200, `${count} paths`)
  assert.equal(pages.flatMap((page) => faultsOf(page, read(page))).join('\n'), '')
})

test('a path that is gone is found, in a guide also one that is not whole', () => {
  const page = ['`server/context.ts` `fronts/api/app.ts` `server/*/none.ts` `server/storage/<room>/store.ts`']
  page.push('`storage/retired/` `found-folders.ts` `zip-records.ts`', '```', '`gone.ts`', '```')
  assert.deepEqual(faultsOf('docs/objects.md', page.join('\n')), [
    'docs/objects.md:1 server/*/none.ts',
    'docs/objects.md:2 storage/retired',
    'docs/objects.md:2 found-folders.ts',
  ])
  assert.deepEqual(faultsOf('docs/change-it.md', '`zip-records.ts` `store.ts`'), ['docs/change-it.md:1 zip-records.ts'])
})

test('the architecture page has every room of the server, of the storage, of the features and of access', () => {
  const page = read('docs/architecture.md')
  const layers = page.slice(page.indexOf('## Layers'), page.indexOf('## Five walks'))
  const rooms = (folder: string) =>
    fs
      .readdirSync(path.join(root, folder), { withFileTypes: true })
      .flatMap((one) => (one.isDirectory() ? one.name : []))
  const missing = (folder: string, isNamed: (name: string) => boolean) =>
    rooms(folder).flatMap((name) => (isNamed(name) ? [] : [`${folder}/${name}`]))
  assert.deepEqual(
    [
      ...missing('server', (name) => layers.includes(`| \`${name}/`)),
      ...missing('server/storage', (name) => layers.includes(`| \`${name}/\` |`)),
      ...missing('server/features', (name) => new RegExp(`features/\` .*\\b${name}\\b`).test(layers)),
      ...missing('server/access', (name) => new RegExp(`access/\` .*\\b${name}\\b`).test(layers)),
    ],
    [],
  )
})

/** A hash and the start of its title, at the end of a line. */
const COMMIT = /`([0-9a-f]{8})` (.+)$/gm
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** Why the repository's history cannot be asked; undefined if it can. */
function whyNoHistory(): string | undefined {
  try {
    return git('rev-parse', '--is-shallow-repository') === 'true' ? 'only the newest commits are here' : undefined
  } catch {
    return 'there is no repository'
  }
}

test('every example of a change is a commit with that title', { skip: whyNoHistory() }, () => {
  const examples = [...read('docs/change-it.md').matchAll(COMMIT)]
  assert.ok(examples.length >= 11, `${examples.length} examples`)
  for (const [, hash = '', title = ''] of examples) {
    const subject = git('show', '-s', '--format=%s', hash)
    assert.ok(subject.startsWith(title), `${hash}: ${subject}`)
  }
})
