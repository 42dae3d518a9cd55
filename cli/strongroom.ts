/** The `strongroom` command: bin/strongroom.js runs this, from source or compiled. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import os from 'node:os'
import { isClientCommand, runClientCommand } from './main.ts'

/** The service needs this Node version; client commands only need 20. */
const SERVICE_NODE = 24

const [command = 'help', ...rest] = process.argv.slice(2)
if (isClientCommand(command)) process.exitCode = await runClientCommand(command, rest)
else if (Number.parseInt(process.versions.node, 10) >= SERVICE_NODE) await import('../server/main.ts')
else passOn()

/** Re-runs the command with the Node that comes with the package. */
function passOn(): void {
  let node: string
  try {
    node = createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    process.stderr.write(`strongroom: the service needs Node ${SERVICE_NODE}, this is ${process.version}\n`)
    process.exitCode = 1
    return
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`strongroom: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + os.constants.signals[signal] : (code ?? 1)
    for (const one of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.removeAllListeners(one)
  })
}
