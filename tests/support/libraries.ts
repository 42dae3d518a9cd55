import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { joinModules } from '../../scripts/join.ts'

/** Hundreds of small modules each. Loading them one by one is a third of what every process of the tests starts with. */
const LIBRARIES = ['jose', 'kysely', 'typebox']

/**
 * Joins the modules of each library into one file below `folder`. Gives the module that `node --import` takes to have a
 * process load those files; what resolves to another copy of a library, as in an installed package, is left alone.
 */
export async function joinLibraries(folder: string): Promise<string> {
  const entries = LIBRARIES.map((name) => ({ name, url: import.meta.resolve(name) }))
  await joinModules(Object.fromEntries(entries.map(({ name, url }) => [name, fileURLToPath(url)])), folder, 'mjs')
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
