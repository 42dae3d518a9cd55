import { createRequire } from 'node:module'
import path from 'node:path'

/** The program of the Node that npm installed with this package for this platform; undefined if there is none. */
export function installedNode() {
  const { platform, arch } = process
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`${name}/package.json`)
    return path.resolve(path.dirname(manifest), require(manifest).bin.node)
  } catch {
    return undefined
  }
}
