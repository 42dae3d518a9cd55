import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check } from 'recheck'
import { api } from '../../contract/index.ts'
import { expressionsIn, filesOf } from '../support/expressions.ts'

/** What no request may meet: expressions that take longer than linear time, each with the reason for which it may stay. */
const bounded: { readonly [expression: string]: string } = {}

/** Where the text of an expression is computed: those that can come out. */
const computed = new Map([
  // One for each operation; these are the parts of which they are made.
  ['server/fronts/api/paths.ts', ['^/api/v1/buckets/[^/]+/objects/.*$', '^/api/v1/users/[^/]+/tokens/[^/]+$']],
])

/** The patterns in the shapes of all operations. */
function patternsIn(shape: unknown, seen = new Set<unknown>()): string[] {
  if (typeof shape !== 'object' || shape === null || seen.has(shape)) return []
  seen.add(shape)
  return Object.entries(shape).flatMap(([name, value]) => {
    if (name === 'pattern' && typeof value === 'string') return [value]
    const names = name === 'patternProperties' ? Object.keys(value as object) : []
    return [...names, ...patternsIn(value, seen)]
  })
}

/** What recheck says of an expression; a timeout would be a verdict about the machine. */
const judge = (source: string, flags: string) => check(source, flags, { timeout: 300_000, randomSeed: 0 })

describe('regular expressions', () => {
  it('take linear time, all of the server, the contract and the client', async () => {
    const all = new Map(
      filesOf(['server', 'contract', 'client'])
        .flatMap((file) => expressionsIn(file, computed))
        .map((one) => [`/${one.source}/${one.flags}`, one]),
    )
    assert.ok(all.size > 150, `${all.size} were found`)
    for (const source of patternsIn(api)) {
      const at = 'a pattern of the contract'
      if (!all.has(`/${source}/u`) && !all.has(`/${source}/`)) all.set(`/${source}/u`, { at, source, flags: 'u' })
    }
    const faults: string[] = []
    for (const [name, { at, source, flags }] of all) {
      const verdict = await judge(source, flags)
      if (verdict.status === 'safe' || Object.hasOwn(bounded, name)) continue
      const attack = verdict.status === 'vulnerable' ? verdict.attack.pattern : 'an attack that was not found'
      faults.push(`${at} ${name} is ${verdict.status}, with ${attack}`)
    }
    assert.deepEqual(faults, [])
    assert.deepEqual(
      Object.keys(bounded).filter((name) => !all.has(name)),
      [],
      'listed, and not there',
    )
  })

  it('would be found if they did not', async () => {
    for (const source of ['^\\s*(\\w+)\\s*=\\s*"?([^"]*?)"?\\s*$', '/+$', '"(?:[^"\\\\]|\\\\.)*"\\s*:'])
      assert.equal((await judge(source, '')).status, 'vulnerable', source)
  })
})
