// Addresses of the console lead to their own views.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'regexparam'
import type { View } from '../../console/src/routes.ts'

// What views say is loaded when they are opened, with parts that are only the browser's.
const { views } = (await import(String(new URL('../../console/src/features/views.ts', import.meta.url)))) as {
  views: readonly View[]
}

test('no view takes the address of another: the first whose path matches is shown', () => {
  assert.ok(views.length > 50, `${views.length} views`)
  for (const { path } of views) {
    const address = path.replaceAll(/:\w+/g, 'some-name')
    assert.equal(views.find((view) => parse(view.path).pattern.test(address))?.path, path)
  }
})
