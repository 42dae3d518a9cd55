/**
 * Completes package-lock.json after `npm install` from a registry that does not serve every platform.
 *
 * npm omits optional packages that its registry lacks from the lock, and `npm ci` then rejects the lock everywhere
 * (npm/cli#9846). This adds them, as their parent names them, with the platform from their name. npm skips them on
 * other platforms; on their own platform it installs them without a checksum to compare.
 */
import fs from 'node:fs'
import path from 'node:path'
import { findPackage } from './lock.ts'

interface Entry {
  version?: string
  cpu?: string[]
  dev?: boolean
  libc?: string[]
  license?: string
  optional?: boolean
  os?: string[]
  optionalDependencies?: Record<string, string>
}

const file = path.join(import.meta.dirname, '..', 'package-lock.json')
const lock: { packages: Record<string, Entry> } = JSON.parse(fs.readFileSync(file, 'utf8'))

const added: Record<string, Entry> = {}
for (const [parent, { optionalDependencies = {}, dev, license }] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (findPackage(lock.packages, parent, name)) continue
    const [, os = '', cpu = name.match(/wasm32$/)?.[0]] =
      name.match(/[-/](aix|android|darwin|freebsd|linux|linuxmusl|netbsd|openbsd|sunos|win32)-([a-z0-9]+)/) ?? []
    if (!cpu || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`cannot tell the platform of ${name}@${version}`)
    added[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(os.startsWith('linux') && { libc: [name.includes('musl') ? 'musl' : 'glibc'] }),
      ...(license && { license }),
      optional: true,
      ...(os && { os: [os.replace('musl', '')] }),
    }
    console.log(`added ${name}@${version}`)
  }

const all = Object.entries({ ...lock.packages, ...added })
lock.packages = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')))
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
