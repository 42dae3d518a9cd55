import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** A reporter for `node --test` that prints only failed tests, each with its error. */
export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue
    const { name, file = '', line, details } = event.data
    // A suite fails with its tests, which have the error.
    if ((details.error as { failureType?: string }).failureType === 'subtestsFailed') continue
    yield `✖ ${path.relative('', file)}:${line} ${name}\n${inspect(details.error.cause ?? details.error, { maxArrayLength: 10, depth: 3 })}\n\n`
  }
}
