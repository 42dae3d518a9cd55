import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown, type UserConfig } from 'vite'
import type { RouteSpec } from '../contract/route.ts'
import { compressed } from './compressed.ts'
import { early } from './early.ts'
import { smallerFonts } from './fonts.ts'
import { NONCE } from './nonce.ts'
import { listPackages } from './packages.ts'
import { pdfTables } from './pdf.ts'

/**
 * Keeps only how each operation is called, without the schemas: that makes the page a quarter smaller. The types are
 * those of the whole contract.
 */
const slimContract = (): Plugin => ({
  name: 'slim-contract',
  enforce: 'pre',
  async load(id) {
    if (id !== path.resolve(import.meta.dirname, '../contract/index.ts')) return null
    const { api } = (await import('../contract/index.ts')) as { api: Record<string, RouteSpec> }
    const slim = Object.entries(api).map(
      ([name, { method, url, root, consumes, produces, access, otherStatus, ...shapes }]) => [
        name,
        {
          method,
          url,
          root,
          consumes,
          produces,
          otherStatus,
          // What is left out is falsy.
          ...(access === 'public' ? { access } : {}),
          ...(shapes.body ? { body: true } : {}),
          ...(shapes.reply ? { reply: true } : {}),
        },
      ],
    )
    return `export const api = ${JSON.stringify(Object.fromEntries(slim))}`
  },
})

const base: UserConfig = {
  root: import.meta.dirname,
  base: '/console/',
  html: { cspNonce: NONCE },
  plugins: [slimContract(), react(), early(), smallerFonts(), pdfTables(), compressed(), listPackages()],
  build: {
    target: 'es2022',
    manifest: true,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // Data URLs would need a less strict policy for fonts.
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/public': 'http://127.0.0.1:8080' } },
}

/**
 * Decides which file each module goes into. By default the bundler makes a file for every set of modules that the same
 * views share: 50 for the object browser, while browsers request six at a time. A dry build finds out what belongs
 * together; everything that the page, sign-in and the frame need goes into two files, the start page into a third and the object browser into a fourth.
 */
async function findChunks(): Promise<(id: string) => string | null> {
  const plugins = [slimContract(), react()]
  const dry = { ...base, plugins, configFile: false, logLevel: 'error' } as const
  const { output } = (await build({
    ...dry,
    build: { ...base.build, write: false, minify: false },
  })) as Rolldown.RolldownOutput
  const chunks = new Map(output.filter((one) => one.type === 'chunk').map((chunk) => [chunk.fileName, chunk]))
  const owns = (chunk: Rolldown.OutputChunk, source: string) => chunk.moduleIds.some((id) => id.endsWith(source))
  const above = (source: string): Rolldown.OutputChunk[] => {
    const found = new Set<Rolldown.OutputChunk>()
    const gather = (chunk: Rolldown.OutputChunk | undefined): void => {
      if (!chunk || found.has(chunk)) return
      found.add(chunk)
      for (const next of chunk.imports) gather(chunks.get(next))
    }
    for (const chunk of chunks.values()) if (owns(chunk, source)) gather(chunk)
    return [...found]
  }
  /** What a view imports, without its own modules. */
  const taken = (source: string) => above(source).filter((chunk) => !owns(chunk, source))
  const modulesOf = (some: Rolldown.OutputChunk[]) => new Set(some.flatMap(({ moduleIds }) => moduleIds))
  const entry = modulesOf([...above('/src/main.tsx'), ...taken('/auth/Login.tsx')])
  const shell = modulesOf(above('/shell/Shell.tsx'))
  const browse = modulesOf(above('/browse/Browse.tsx'))
  // These views have few styles.
  const styled = modulesOf([...above('/shell/Shell.tsx'), ...above('/browse/Browse.tsx')])
  // The start page is the second view that many see; every page loads what shows running jobs a second later, and menus once
  // somebody is there.
  const home = modulesOf([...above('/home/Home.tsx'), ...above('/jobs/Running.tsx')])
  const later = modulesOf(above('/ui/OpenedMenu.tsx'))
  return (id) => {
    if (entry.has(id) || (styled.has(id) && id.endsWith('.css'))) return 'entry'
    if (shell.has(id) || (home.has(id) && browse.has(id))) return 'frame'
    if (browse.has(id)) return 'browse'
    if (home.has(id) || id.endsWith('/jobs/jobs.css')) return 'home'
    return later.has(id) ? 'menus' : null
  }
}

export default defineConfig(async ({ command }) => {
  if (command !== 'build') return base
  const name = await findChunks()
  // Each module goes where it is told to: with whatever needs it first, the frame would be in the object browser's file.
  const groups = [{ name, debugName: 'the page and its frame', includeDependenciesRecursively: false }]
  const output = { codeSplitting: { groups } }
  return { ...base, build: { ...base.build, rolldownOptions: { output } } }
})
