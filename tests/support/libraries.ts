import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Hundreds of small modules each. Loading them one by one is a third of what every process of the tests starts with. */
const LIBRARIES = ['jose', 'kysely', 'typebox']

/**
 * Joins the modules of each library into one file below `folder`. Gives the module that `node --import` takes to have a
 * process load those files; what resolves to another copy of a library, as in an installed package, is left alone.
 */
export async function joinLibraries(folder: string): Promise<string> {
  const { build } = await import('vite')
  const entries = LIBRARIES.map((name) => ({ name, url: import.meta.resolve(name) }))
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input: Object.fromEntries(entries.map(({ name, url }) => [name, fileURLToPath(url)])),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
        preserveEntrySignatures: 'strict',
      },
    },
  })
  const joined = entries.map(({ name, url }) => [url, pathToFileURL(path.join(folder, `${name}.mjs`)).href])
  const hook = path.join(folder, 'joined.mjs')
  fs.writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
const joined = new Map(${JSON.stringify(joined)})
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const url = joined.get(found.url)
    return url === undefined ? found : { ...found, url }
  },
})
`,
  )
  return pathToFileURL(hook).href
}
