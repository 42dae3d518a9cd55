import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { seedDemo } from '../tests/support/demo.ts'
import { launchChromium, noBrowser } from '../tests/support/launch.ts'
import { startReceiver } from '../tests/support/receiver.ts'
import { startServer } from '../tests/support/server.ts'
import type { Task, World } from './tasks/hand.ts'

/**
 * The tasks of docs/tasks.md, done in a real browser by mouse and keys: the steps each takes, and the seconds until
 * its outcome is seen, which are the machine's and not a person's. `node bench/tasks.ts [--only 14,15] [--shots folder]`.
 */
const { values: options } = parseArgs({ options: { only: { type: 'string' }, shots: { type: 'string' } } })
if (noBrowser) throw new Error(String(noBrowser))

const files = fs.globSync('tasks/*-tasks.ts', { cwd: import.meta.dirname }).sort()
const all: Task[] = []
for (const file of files) all.push(...((await import(path.join(import.meta.dirname, file))) as { tasks: Task[] }).tasks)
const only = options.only?.split(',').map(Number)
const chosen = all.filter(({ number }) => only?.includes(number) ?? true).sort((a, b) => a.number - b.number)

const receiver = await startReceiver()
const server = await startServer('sqlite', { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
const chromium = await launchChromium()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-tasks-'))
try {
  const demo = await seedDemo(server, receiver)
  console.log('| # | task | steps | seconds |\n|---|---|---|---|')
  for (const { number, name, prepare, run } of chosen) {
    const world: World = { server, demo, folder, chromium, opened: [] }
    try {
      const hand = await prepare(world)
      const from = performance.now()
      await run(hand, world)
      const seconds = ((performance.now() - from) / 1000).toFixed(1)
      if (options.shots) await hand.page.screenshot({ path: path.join(options.shots, `task-${number}.png`) })
      console.log(`| ${number} | ${name} | ${hand.steps} | ${seconds} |`)
    } catch (error) {
      process.exitCode = 1
      console.log(`| ${number} | ${name} | failed | ${String(error).split('\n')[0]} |`)
    } finally {
      for (const one of world.opened) await one.close()
    }
  }
} finally {
  await chromium.close()
  await server.stop()
  await receiver.stop()
  fs.rmSync(folder, { recursive: true })
}
