import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** What node:test tells beyond its types: the file a process was started with, and how the process ended. */
interface Told {
  entryFile?: string
  details: { passed?: boolean; error?: { exitCode?: number | null } }
}

/** A reporter for `node --test` that prints each test file that failed, one per line. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const named = new Set<string>()
  const explained = new Set<string | undefined>()
  for await (const event of events) {
    if (event.type !== 'test:complete') continue
    const { file } = event.data
    const { entryFile, details } = event.data as Told
    if (details.passed || !file?.endsWith('.test.ts')) continue
    // A process that ran to its end exits with 1, and the files that failed in it are named; one that died may hide more.
    if (details.error?.exitCode === 1 && explained.has(file)) continue
    explained.add(entryFile)
    if (named.has(file)) continue
    named.add(file)
    yield `${path.relative('', file)}\n`
  }
}
