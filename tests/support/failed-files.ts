import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** A reporter for `node --test` that prints each test file that failed, one per line. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const named = new Set<string>()
  for await (const event of events) {
    // A file whose process dies has no summary, only a failure under its own name.
    const failed = event.type === 'test:fail' || (event.type === 'test:summary' && !event.data.success)
    const file = failed ? event.data.file : undefined
    if (!file?.endsWith('.test.ts') || named.has(file)) continue
    named.add(file)
    yield `${path.relative('', file)}\n`
  }
}
