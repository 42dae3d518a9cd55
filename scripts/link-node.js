import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedNode } from '../bin/installed-node.js'

/**
 * Makes `node` in npm's scripts the Node that was installed, before any of them runs. npm 11 does so itself; npm 10 gives the
 * name to the first package that has it, also where that is another platform's and was not installed.
 */
const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))
const node = installedNode()
if (node && process.platform === 'win32') {
  const file = path.join(bin, 'node.cmd')
  if (!fs.existsSync(file)) fs.writeFileSync(file, `@"${node}" %*\r\n`)
} else if (node && !fs.existsSync(path.join(bin, 'node'))) {
  fs.rmSync(path.join(bin, 'node'), { force: true })
  fs.symlinkSync(path.relative(bin, node), path.join(bin, 'node'))
}
