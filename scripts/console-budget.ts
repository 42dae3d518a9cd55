import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/** Maximum kilobytes (1000 bytes, after gzip -9) that a browser may load before a view is displayed. */
const budgets = [
  { route: 'login', views: ['src/features/auth/Login.tsx'], framed: false, js: 185 },
  { route: 'browse', views: ['src/features/browse/Browse.tsx'], framed: true, js: 230 },
  {
    route: 'browse as tiles',
    views: ['src/features/browse/Browse.tsx', 'src/features/browse/Tiles.tsx'],
    framed: true,
    js: 230,
  },
] as const
const MOST_CSS = 24
const MOST_FONT = 50

interface Chunk {
  file: string
  name?: string
  imports?: string[]
  css?: string[]
}
const dist = path.join(path.dirname(import.meta.dirname), 'console/dist')

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
  const size = (file: string) => gzipSync(fs.readFileSync(path.join(dist, file)), { level: 9 }).length / 1000
  const gather = (name: string, found: Set<string>): void => {
    const chunk = manifest[name]
    if (!chunk) throw new Error(`The build has no ${name}.`)
    if (found.has(name)) return
    found.add(name)
    for (const next of chunk.imports ?? []) gather(next, found)
  }
  // The frame is a chunk without a source file of its own, because several modules share it.
  const frame = Object.keys(manifest).find((one) => manifest[one]?.name === 'frame') ?? 'src/shell/Shell.tsx'
  const weights = budgets.map(({ route, views, framed, js }) => {
    const found = new Set<string>()
    for (const name of ['index.html', ...views, ...(framed ? [frame] : [])]) gather(name, found)
    const chunks = [...found].map((name) => manifest[name] as Chunk)
    const sum = (files: Iterable<string>) => [...new Set(files)].reduce((total, file) => total + size(file), 0)
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

if (import.meta.main) {
  const { weights, font, mostFont } = weigh()
  for (const { route, js, css, mostJs, mostCss } of weights)
    console.log(`${route}: JS ${js.toFixed(1)} of ${mostJs} kB, CSS ${css.toFixed(1)} of ${mostCss} kB`)
  console.log(`font: ${font.toFixed(1)} of ${mostFont} kB`)
  if (font > mostFont || weights.some(({ js, css, mostJs, mostCss }) => js > mostJs || css > mostCss)) process.exit(1)
}
