import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { languages } from '../contract/languages.ts'

/** The chunk of the object browser. */
const BROWSE = 'browse'

/** Maximum kilobytes (1000 bytes, after gzip -9) that a browser may load before a view is displayed. */
const budgets = [
  { route: 'login', views: ['src/features/auth/Login.tsx'], framed: false, js: 142 },
  { route: 'browse', views: [BROWSE], framed: true, js: 192 },
  {
    route: 'browse as tiles',
    views: [BROWSE, 'src/features/browse/Tiles.tsx'],
    framed: true,
    js: 197,
  },
  { route: 'home', views: ['home'], framed: true, js: 160 },
  ...languages
    .filter((tag) => tag !== 'en')
    .map((tag) => ({
      route: `browse, ${tag}`,
      views: [BROWSE, `src/languages/${tag}/frame.ts`],
      framed: true,
      js: 209,
    })),
]
const MOST_CSS = 24.5
/** Everything that a page of a share link needs before it shows what the link opens. */
const MOST_LINK = 30
const MOST_FONT = 33

interface Chunk {
  file: string
  name?: string
  imports?: string[]
  css?: string[]
}
const root = path.dirname(import.meta.dirname)
const dist = path.join(root, 'console/dist')
const size = (folder: string, file: string) =>
  gzipSync(fs.readFileSync(path.join(folder, file)), { level: 9 }).length / 1000

export interface Weight {
  route: string
  js: number
  css: number
  mostJs: number
  mostCss: number
}

/** The size of each view: its own chunk, the page's entry, the frame if it has one, and everything they import. */
export function weigh(): { weights: Weight[]; font: number; mostFont: number } {
  const manifest: Record<string, Chunk> = JSON.parse(fs.readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'))
  const gather = (name: string, found: Set<string>): void => {
    const chunk = manifest[name]
    if (!chunk) throw new Error(`The build has no ${name}.`)
    if (found.has(name)) return
    found.add(name)
    for (const next of chunk.imports ?? []) gather(next, found)
  }
  // Chunks that are named in the build have no source file of their own, because several modules share them.
  const named = (name: string) =>
    Object.keys(manifest).find((one) => one.startsWith('_') && manifest[one]?.name === name)
  const frame = named('frame') ?? 'src/shell/Shell.tsx'
  const weights = budgets.map(({ route, views, framed, js }) => {
    const found = new Set<string>()
    for (const view of ['index.html', ...views, ...(framed ? [frame] : [])]) gather(named(view) ?? view, found)
    const chunks = [...found].map((name) => manifest[name] as Chunk)
    const sum = (files: Iterable<string>) => [...new Set(files)].reduce((total, file) => total + size(dist, file), 0)
    return {
      route,
      js: sum(chunks.map(({ file }) => file)),
      css: sum(chunks.flatMap(({ css }) => css ?? [])),
      mostJs: js,
      mostCss: MOST_CSS,
    }
  })
  // Browsers only load the alphabets that a page needs; our own texts need this one.
  const font = fs.readdirSync(path.join(dist, 'assets')).find((name) => /^inter-latin-wght-normal/.test(name))
  if (!font) throw new Error('The build has no font.')
  return { weights, font: fs.statSync(path.join(dist, 'assets', font)).size / 1000, mostFont: MOST_FONT }
}

/** The size of a page of a share link: the HTML, and the scripts and styles that it names. It uses the system's font. */
export function weighLink(): { all: number; most: number } {
  const built = path.join(root, 'console/link/dist')
  const html = fs.readFileSync(path.join(built, 'index.html'), 'utf8')
  const files = [...html.matchAll(/"\/s\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  return { all: ['index.html', ...files].reduce((total, file) => total + size(built, file), 0), most: MOST_LINK }
}

if (import.meta.main) {
  const { weights, font, mostFont } = weigh()
  for (const { route, js, css, mostJs, mostCss } of weights)
    console.log(`${route}: JS ${js.toFixed(1)} of ${mostJs} kB, CSS ${css.toFixed(1)} of ${mostCss} kB`)
  console.log(`font: ${font.toFixed(1)} of ${mostFont} kB`)
  const link = weighLink()
  console.log(`page of a share link: ${link.all.toFixed(1)} of ${link.most} kB`)
  if (
    link.all > link.most ||
    font > mostFont ||
    weights.some(({ js, css, mostJs, mostCss }) => js > mostJs || css > mostCss)
  )
    process.exit(1)
}
