#!/usr/bin/env node
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installedNode } from './installed-node.js'

const NODE_NEEDED = 24

if (Number.parseInt(process.versions.node, 10) >= NODE_NEEDED) await run()
else runWith(installedNode())

async function run() {
  // A checkout runs its sources; the package has them compiled, because Node strips no types below node_modules.
  const source = new URL('../cli/strongroom.ts', import.meta.url)
  await import((fs.existsSync(source) ? source : new URL('../dist/cli/strongroom.js', import.meta.url)).href)
}

/** Runs this program with another Node, in place of this process: same streams, signals and exit code. */
function runWith(node) {
  if (!node) {
    console.error(
      `strongroom needs Node ${NODE_NEEDED} or later, and this is ${process.version}. npm installs one for most platforms, unless optional packages are omitted.`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
