import fs from 'node:fs'
import path from 'node:path'
import { findPackage } from './lock.ts'

/**
 * Writes the licenses of everything that a package or image of Strongroom contains or installs: production modules, and
 * what the console, the documentation site and Redoc's page have built in. Fails on a license that is not allowed here.
 */
const root = path.dirname(import.meta.dirname)

/** Licenses that ask for nothing but notices. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  'OFL-1.1',
  'Unlicense',
])
/** More licenses for some packages, each with its reason. */
const exceptions: readonly { packages: RegExp; license: string; reason: string }[] = [
  {
    packages: /^@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason: 'libvips is a shared library of its own, which can be replaced',
  },
]
/** What packages state wrongly or not at all, as their repositories have it. */
const corrected: { readonly [name: string]: string } = {
  decko: 'MIT',
  stickyfill: 'MIT',
  'url-template': 'BSD-3-Clause',
}
/** Packages of which a finished build is copied, or that are built into a file of ours, with all they are made of. */
const copied = [
  'redoc',
  '@fastify/swagger-ui',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@modelcontextprotocol/server',
  'papaparse',
]
/** Lists of the packages that a build contains (console/packages.ts). */
const builds = ['console/dist', 'console/link/dist', 'site/dist'].map((build) => `${build}/.vite/packages.json`)

export interface Entry {
  version?: string
  license?: string
  dev?: boolean
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
export interface Module {
  name: string
  version: string
  /** An SPDX expression; empty if the package states none. */
  license: string
  /** The folder in node_modules; missing for packages of other platforms. */
  folder?: string
}

/** Whether an SPDX expression permits what Strongroom does with the package. */
export function isAllowed(name: string, expression: string): boolean {
  const terms = expression.replace(/^\((.*)\)$/, '$1').trim()
  if (terms.includes(' OR ')) return terms.split(' OR ').some((term) => isAllowed(name, term))
  if (terms.includes(' AND ')) return terms.split(' AND ').every((term) => isAllowed(name, term))
  return allowed.has(terms) || exceptions.some(({ packages, license }) => license === terms && packages.test(name))
}

/** The modules to list, of a lock file's packages and the names that builds contain, by name and version. */
export function modulesOf(packages: Record<string, Entry>, built: readonly string[]): Module[] {
  const places = new Set(Object.keys(packages).filter((place) => place !== '' && !packages[place]?.dev))
  const add = (place: string): void => {
    if (places.has(place)) return
    places.add(place)
    const { dependencies = {}, peerDependencies = {} } = packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const found = findPackage(packages, place, name)
      if (found) add(found)
    }
  }
  for (const name of copied) if (packages[`node_modules/${name}`]) add(`node_modules/${name}`)
  for (const name of built) {
    const found = Object.keys(packages).find((place) => place.endsWith(`node_modules/${name}`))
    if (!found) throw new Error(`A build contains ${name}, which is not in package-lock.json.`)
    places.add(found)
  }
  const modules = [...places].map((place): Module => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const { version = '', license } = packages[place] ?? {}
    const folder = path.join(root, place)
    return {
      name,
      version,
      license: corrected[name] ?? license ?? '',
      ...(fs.existsSync(folder) ? { folder } : {}),
    }
  })
  const unique = new Map(modules.map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1))
}

/** The text of the notices. Throws with every package whose license is not allowed. */
export function notices(modules: readonly Module[]): string {
  const refused = modules.filter(({ name, license }) => !isAllowed(name, license))
  if (refused.length > 0) {
    const list = refused.map(({ name, version, license }) => `${name}@${version}: ${license || 'no license'}`)
    throw new Error(`Not allowed by scripts/licenses.ts:\n${list.join('\n')}`)
  }
  const texts = new Map<string, Module[]>()
  for (const module of modules) {
    const text = textOf(module)
    texts.set(text, [...(texts.get(text) ?? []), module])
  }
  const parts = [...texts].map(([text, ones]) => {
    const names = ones.map(({ name, version, license }) => `${name} ${version} (${license})`)
    return `${RULE}\n${names.join('\n')}\n\n${text}\n`
  })
  return [
    'Strongroom contains or installs the following packages, under the licenses below each of them.',
    '',
    ...parts,
    RULE,
    'The usual texts, for packages without a license file',
    '',
    ...standardTexts.flatMap(([name, file]) => [`${name}:`, '', fs.readFileSync(file, 'utf8').trimEnd(), '']),
  ].join('\n')
}
const RULE = '='.repeat(80)
const standardTexts = [
  ['MIT', path.join(import.meta.dirname, 'licenses/MIT.txt')],
  ['ISC', path.join(import.meta.dirname, 'licenses/ISC.txt')],
  ['Unlicense', path.join(import.meta.dirname, 'licenses/Unlicense.txt')],
  ['Apache-2.0', path.join(root, 'LICENSE')],
  ['LGPL-3.0', path.join(import.meta.dirname, 'licenses/LGPL-3.0.txt')],
  ['GPL-3.0, to which LGPL-3.0 refers', path.join(import.meta.dirname, 'licenses/GPL-3.0.txt')],
] as const

/** The license and notice files of a package, or who made it if it has none. */
function textOf({ name, folder }: Module): string {
  if (!folder) return 'Installed on other platforms only; the package has the text.'
  const files = fs.readdirSync(folder).sort()
  const own = files.filter((file) => /^(licen[cs]e|copying|notice|ofl)/i.test(file) && !/\.(c?js|ts)$/.test(file))
  const texts = own.map((file) => path.join(folder, file)).filter((file) => fs.statSync(file).isFile())
  // libvips names the licenses of the libraries in it there.
  if (texts.length === 0 && name.startsWith('@img/sharp-libvips')) texts.push(path.join(folder, 'README.md'))
  if (texts.length > 0)
    return texts.map((file) => fs.readFileSync(file, 'utf8').trim().replaceAll('\r\n', '\n')).join('\n\n')
  const { author, homepage = '' } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const creator = typeof author === 'string' ? author : (author?.name ?? '')
  return [
    'The package has no license file; the end of this list has the usual text.',
    creator && `Author: ${creator}`,
    homepage,
  ]
    .filter(Boolean)
    .join('\n')
}

/** The modules of this working copy; builds that do not exist are left out. */
export function currentModules(): Module[] {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  const lists = builds.map((file) => path.join(root, file)).filter((file) => fs.existsSync(file))
  return modulesOf(
    packages,
    lists.flatMap((file) => JSON.parse(fs.readFileSync(file, 'utf8')) as string[]),
  )
}

if (import.meta.main) {
  const modules = currentModules()
  const text = notices(modules)
  const [, , target] = process.argv
  if (target) fs.writeFileSync(target, text)
  const counts = Map.groupBy(modules, ({ license }) => license)
  for (const [license, ones] of [...counts].sort(([, a], [, b]) => b.length - a.length))
    console.log(`${String(ones.length).padStart(4)} ${license}`)
}
