import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { builds } from '../server/fronts/api/docs.ts'
import { joinModules } from './join.ts'
import { currentModules, notices } from './licenses.ts'

/**
 * Builds the published package into dist/, since Node strips no types below node_modules. The client comes with its
 * declarations and is compiled against web standards only, so that it runs wherever they are available.
 */
const root = path.dirname(import.meta.dirname)
const dist = path.join(root, 'dist')
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')

if (fs.existsSync(tsc)) {
  fs.rmSync(dist, { recursive: true, force: true })
  const compile = (project: string, ...options: string[]) =>
    execFileSync(process.execPath, [tsc, '-p', path.join(root, project), ...options], { stdio: 'inherit' })
  // `npm run check` has the same types, and takes eight times as long as writing them out does.
  compile('tsconfig.package.json', '--noCheck')
  compile('tsconfig.client.json')
  fs.cpSync(path.join(root, 'server/features/images/forbidden'), path.join(dist, 'server/features/images/forbidden'), {
    recursive: true,
  })
  // Redoc brings 58 MB of packages, Swagger UI 12, of which only these files are needed.
  const copy = (from: string, folder: string, name: string) =>
    fs.cpSync(path.join(root, 'node_modules', from, name), path.join(dist, folder, name))
  for (const { folder, from, files } of builds) for (const name of files) copy(from, folder, name)
  copy('redoc/bundles', 'redoc', 'redoc.standalone.js.LICENSE.txt')
  // Of OpenTelemetry and all that it needs, 13 MB of packages, less than 200 KB are used.
  await joinModules(
    { opentelemetry: path.join(dist, 'server/observe/opentelemetry.js') },
    path.join(dist, 'server/observe'),
  )
  // MCP's SDK brings 16 MB.
  await joinModules({ sdk: path.join(dist, 'server/fronts/mcp/sdk.js') }, path.join(dist, 'server/fronts/mcp'))
  const pages = ['console/dist', 'console/link/dist']
  if (pages.every((page) => fs.existsSync(path.join(root, page))))
    for (const page of pages) fs.cpSync(path.join(root, page), path.join(dist, page), { recursive: true })
  else console.warn('The package was built without the console: run "npm run build" to include it.')
  const help = path.join(root, 'site/dist')
  if (fs.existsSync(help)) fs.cpSync(help, path.join(dist, 'site/dist'), { recursive: true })
  else console.warn('The package was built without the documentation at /help: "npm run build" includes it.')
  fs.writeFileSync(path.join(dist, 'THIRD-PARTY-NOTICES'), notices(currentModules()))
  // Declarations refer to source file names, which are not published.
  for (const file of fs.globSync(path.join(dist, '**/*.d.ts'))) {
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"))
  }
} else if (!fs.existsSync(path.join(dist, 'client/index.js')))
  console.warn('The package was not built: its compiler is not installed (npm ci without --omit=dev installs it).')
