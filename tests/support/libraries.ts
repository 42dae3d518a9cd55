import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { joinModules } from '../../scripts/join.ts'

/** Hundreds of small modules each. Loading them one by one is a third of what every process of the tests starts with. */
const LIBRARIES = ['jose', 'kysely', 'typebox']
const ROOT = path.join(import.meta.dirname, '../..')
/** What services and commands are started by. */
const PROGRAMS = { main: 'server/main.ts', strongroom: 'cli/strongroom.ts' }
/** They find files next to their own. */
const APART = /^(sharp|@node-rs\/\w+)$/

/**
 * Joins the modules of each library into one file below `folder`, and those of the service and of the command. Gives the
 * module that `node --import` takes to have a process load those files in place of the modules; what resolves to another
 * copy of a library or of the service, as in an installed package, is left alone.
 */
export async function joinLibraries(folder: string): Promise<string> {
  const libraries = LIBRARIES.map((name) => ({ name, url: import.meta.resolve(name) }))
  const programs = Object.entries(PROGRAMS).map(([name, file]) => ({
    name,
    url: pathToFileURL(path.join(ROOT, file)).href,
  }))
  const filesOf = (modules: typeof libraries) =>
    Object.fromEntries(modules.map(({ name, url }) => [name, fileURLToPath(url)]))
  await Promise.all([
    joinModules(filesOf(libraries), folder, { extension: 'mjs' }),
    joinModules(filesOf(programs), folder, { extension: 'mjs', rewrite: asInItsPlace, apart: fileApart }),
  ])
  const joined = [...libraries, ...programs].map(({ name, url }) => [
    url,
    pathToFileURL(path.join(folder, `${name}.mjs`)).href,
  ])
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

/** A module's text for another place: what it finds by its own address it finds there, too, as its threads, which are not joined. */
const asInItsPlace = (code: string, file: string): string =>
  code
    .replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(file).href))
    .replaceAll('import.meta.dirname', () => JSON.stringify(path.dirname(file)))

const fileApart = (name: string): string | undefined =>
  APART.test(name) ? fileURLToPath(import.meta.resolve(name)) : undefined
