// Links of the documentation: every file and heading they name exists, and every page can be found.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { headingsOf, linksOf, replaceLinks, slugify } from '../../site/markdown.ts'
import { sidebar, sources } from '../../site/pages.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
const pages = fs
  .globSync(
    ['*.md', 'docs/**/*.md', 'bench/*.md', 'console/*.md', 'deploy/**/*.md', 'examples/**/*.md', '.github/**/*.md'],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  )
  .sort()

/** Why a link leads nowhere; undefined if it leads somewhere, or outside. */
function faultOf(page: string, target: string): string | undefined {
  if (/^(https?:|mailto:)/.test(target)) return undefined
  const [name = '', anchor] = target.split('#')
  const file = name === '' ? page : path.join(path.dirname(page), decodeURIComponent(name))
  if (file.startsWith('..') || path.isAbsolute(name)) return 'leads out of the repository'
  if (!fs.existsSync(path.join(root, file))) return 'no such file'
  if (anchor === undefined) return undefined
  if (!file.endsWith('.md')) return 'an anchor outside a page'
  return headingsOf(read(file)).some((heading) => heading.anchor === anchor) ? undefined : 'no such heading'
}

test('every link leads to a file and a heading', () => {
  assert.ok(pages.length >= 80, `${pages.length} pages`)
  let count = 0
  const faults = pages.flatMap((page) =>
    linksOf(read(page)).flatMap(({ line, target }) => {
      count++
      const fault = faultOf(page, target)
      return fault ? [`${page}:${line} ${target}: ${fault}`] : []
    }),
  )
  assert.ok(count >= 400, `${count} links`)
  assert.equal(faults.join('\n'), '')
})

test('links to files, headings and places outside the repository are told apart', () => {
  const cases: [string, string | undefined][] = [
    ['docs/s3.md', undefined],
    ['docs/decisions', undefined],
    ['docs/README.md#start', undefined],
    ['#features', undefined],
    ['https://example.com/nothing#here', undefined],
    ['docs/none.md', 'no such file'],
    ['docs/README.md#none', 'no such heading'],
    ['#none', 'no such heading'],
    ['LICENSE#none', 'an anchor outside a page'],
    ['../elsewhere', 'leads out of the repository'],
    ['/docs/s3.md', 'leads out of the repository'],
  ]
  for (const [target, fault] of cases) assert.equal(faultOf('README.md', target), fault, target)
})

test('every page is in the sidebar, and the start page lists it', () => {
  const listed = sidebar().flatMap(({ items }) => items.flatMap((item) => [item, ...(item.items ?? [])]))
  const links = listed.map(({ link = '' }) => link)
  const places = [...sources().values()].map(
    (place) => `/${place.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`,
  )
  assert.deepEqual(
    places.filter((place) => place !== '/' && !links.includes(place)),
    [],
    'add these pages to docs/README.md',
  )
  assert.equal(new Set(links).size, links.length, 'no page twice')
  assert.deepEqual(
    listed.filter(({ text }) => text === ''),
    [],
  )
})

test('links and headings are found outside code only', () => {
  const page = [
    '# One: `a.b`, (c)',
    '[x](a.md) and `[no](code.md)`',
    '```sh',
    '# not a heading',
    'echo "[no](b.md)"',
    '```',
    '## One: a.b, c ##',
    '[![alt](pic.png)](c.md#d)',
    '<picture><source media="(a)" srcset="dark.png"><img alt="" src="light.png"></picture>',
    '[two',
    'lines](d.md)',
  ].join('\n')
  assert.deepEqual(
    linksOf(page).map(({ line, target }) => `${line} ${target}`),
    ['2 a.md', '8 c.md#d', '8 pic.png', '10 d.md', '9 dark.png', '9 light.png'],
  )
  assert.deepEqual(
    headingsOf(page).map(({ level, anchor }) => `${level} ${anchor}`),
    ['1 one-ab-c', '2 one-ab-c-1'],
  )
  assert.equal(slugify('CLI: `strongroom ls|cp` – über_x'), 'cli-strongroom-lscp--über_x')
  assert.equal(
    replaceLinks('a [x](a.md) ![p](p.png) `[no](b.md)` [`y`](c.md)', ({ text, target }) => `<${text} ${target}>`),
    'a <x a.md> ![p](p.png) `[no](b.md)` <`y` c.md>',
  )
})
