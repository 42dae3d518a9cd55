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

/** Characters of an attack that are tried: more than any header has. */
const TRIED = 64 * 1024
/** CPU time that no linear expression takes for so many characters, by far; one of quadratic time takes seconds. */
const MOST_MS = 100

/**
 * With what an expression takes longer than linear time; undefined where it does not. A timeout would be a verdict about the
 * machine. recheck counts steps, and calls an attack also what is long and linear: so it is tried.
 */
async function attackOn(source: string, flags: string): Promise<string | undefined> {
  const verdict = await check(source, flags, { timeout: 300_000, randomSeed: 0 })
  if (verdict.status === 'safe') return undefined
  if (verdict.status === 'unknown') return 'an attack that was not found'
  const { pattern, string } = verdict.attack
  if (verdict.complexity?.type === 'exponential') return pattern
  const text = string.length > TRIED ? string.slice(0, TRIED - 1) + string.slice(-1) : string
  const expression = new RegExp(source, flags)
  const began = process.cpuUsage()
  text.replace(expression, '')
  return process.cpuUsage(began).user / 1000 > MOST_MS ? pattern : undefined
}

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
      const attack = Object.hasOwn(bounded, name) ? undefined : await attackOn(source, flags)
      if (attack !== undefined) faults.push(`${at} ${name} is too slow with ${attack}`)
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
      assert.notEqual(await attackOn(source, ''), undefined, source)
  })
})
