import fs from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { apiPages, type Document } from './api.ts'
import { headingsOf, linksOf, replaceLinks } from './markdown.ts'

/**
 * Prepares the pages that VitePress builds in site/pages, out of docs/ and the texts in the root. In the repository they
 * stay plain Markdown with links between files.
 */
const root = path.dirname(import.meta.dirname)
export const PAGES = path.join(root, 'site/pages')

/** Where texts outside docs/ are on the site. */
const moved: { readonly [file: string]: string } = {
  'docs/README.md': 'index.md',
  'docs/screenshots/README.md': 'screenshots/index.md',
  'SECURITY.md': 'project/security.md',
  'CHANGELOG.md': 'project/changelog.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'GOVERNANCE.md': 'project/governance.md',
  'bench/README.md': 'project/benchmarks.md',
}

/** The pages of the site: file in the repository → file on the site. */
export function sources(): Map<string, string> {
  const docs = fs.globSync('docs/**/*.md', { cwd: root }).sort()
  return new Map([...docs, ...Object.keys(moved)].map((file) => [file, moved[file] ?? file.replace(/^docs\//, '')]))
}

export interface Section {
  text: string
  items: { text: string; link?: string; collapsed?: boolean; items?: { text: string; link: string }[] }[]
}

/** The sidebar: the sections of docs/README.md, with the decisions and the API reference listed page by page. */
export function sidebar(): Section[] {
  const page = read('docs/README.md')
  const places = sources()
  const decisions = [...places].filter(([file]) => file.startsWith('docs/decisions/'))
  const api = apiPages(openapi()).map(([name, text]) => ({ text: titleOf(text), link: `/api/${webName(name)}` }))
  const sections = page.split(/^## /m).slice(1)
  return sections.map((section) => {
    const [text = ''] = section.split('\n')
    const items: Section['items'] = linksOf(section).map((link) => {
      const file = path.join('docs', link.target)
      if (link.target === 'decisions')
        return {
          text: link.text,
          collapsed: true,
          link: '/decisions/',
          items: decisions.map(([from, to]) => ({ text: titleOf(read(from)), link: `/${webName(to)}` })),
        }
      const place = places.get(file)
      if (!place) throw new Error(`docs/README.md lists ${link.target}, which is not a page.`)
      return { text: link.text, link: `/${webName(place)}` }
    })
    if (text === 'Reference') {
      const [first, ...rest] = api
      items.unshift({ text: 'API', collapsed: true, link: first?.link ?? '', items: rest.map(shortName) })
    }
    return { text, items }
  })
}
const shortName = ({ text, link }: { text: string; link: string }) => ({ text: text.replace('API: ', ''), link })

/** Writes all pages and pictures; files that did not change keep their times. */
export async function writePages(): Promise<void> {
  const written = new Set<string>()
  const places = sources()
  const write = (place: string, text: string | Buffer): void => {
    const target = path.join(PAGES, place)
    written.add(target)
    if (fs.existsSync(target) && fs.readFileSync(target).equals(Buffer.from(text))) return
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text)
  }
  for (const [file, place] of places) write(place, relink(file, read(file), places))
  for (const [name, text] of apiPages(openapi())) write(`api/${name}`, text)
  write('screenshots/index.md', gallery())
  write('decisions/index.md', decisionsPage(places))
  write('public/mark.svg', fs.readFileSync(path.join(root, 'console/public/mark.svg')))
  for (const name of pictures()) {
    const target = path.join(PAGES, 'screenshots', name.replace('.png', '.webp'))
    written.add(target)
    const file = path.join(root, 'docs/screenshots', name)
    if (fs.existsSync(target) && fs.statSync(target).mtimeMs > fs.statSync(file).mtimeMs) continue
    fs.mkdirSync(path.dirname(target), { recursive: true })
    await sharp(file)
      .resize({ width: PICTURE_WIDTH, withoutEnlargement: true })
      .webp({ quality: PICTURE_QUALITY })
      .toFile(target)
  }
  for (const entry of fs.readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile() && !written.has(file)) fs.rmSync(file)
  }
}
/** A column of text is at most 688 px wide; the documentation as a whole stays below 5 MB (tests/docs/help). */
const PICTURE_WIDTH = 760
const PICTURE_QUALITY = 60

/** Links between files become links between pages. What is not on the site, such as source code, loses its link. */
function relink(file: string, page: string, places: ReadonlyMap<string, string>): string {
  const from = path.dirname(places.get(file) as string)
  return replaceLinks(page, ({ text, target }) => {
    if (/^([a-z]+:|#)/.test(target)) return `[${text}](${target})`
    const [name = '', anchor] = target.split('#')
    const source = path.join(path.dirname(file), name)
    const place = source === 'docs/decisions' ? 'decisions/index.md' : places.get(source)
    if (place === undefined) return text.startsWith('`') ? text : `\`${text.replaceAll('`', '')}\``
    return `[${text}](${path.relative(from, place)}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

/** The desktop pictures; each has a light and a dark one. */
const pictures = (): string[] => fs.globSync('*-1440.png', { cwd: path.join(root, 'docs/screenshots') }).sort()

/** The table of pictures as a page that shows them. */
function gallery(): string {
  const rows = [
    ...read('docs/screenshots/README.md').matchAll(/^\| ([^|]+) \| \[light 1440\]\(([\w-]+)-light-1440\.png\)/gm),
  ]
  if (rows.length === 0) throw new Error('docs/screenshots/README.md has no table of pictures.')
  const parts = rows.flatMap(({ 1: title, 2: name }) => [`## ${title}`, '', `![${title}](${name}-light-1440.webp)`, ''])
  return ['# Screens', '', 'Every view of the console, with demo data.', '', ...parts].join('\n')
}

function decisionsPage(places: ReadonlyMap<string, string>): string {
  const rows = [...places].filter(([file]) => file.startsWith('docs/decisions/'))
  return [
    '# Decisions',
    '',
    'Why things are the way they are: one page for each decision that others could have made differently.',
    '',
    ...rows.map(([file, place]) => `- [${titleOf(read(file))}](${path.basename(place)})`),
    '',
  ].join('\n')
}

const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8')
const openapi = (): Document => JSON.parse(read('docs/openapi.json'))
const titleOf = (page: string): string => headingsOf(page)[0]?.text ?? ''
/** `scale.md` is `scale`, `api/index.md` is `api/`. */
const webName = (file: string): string => file.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')
