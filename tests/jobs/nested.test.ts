import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeEngines } from '../support/server.ts'
import { byBytes, jobsWorld, numbered, times } from './jobs.ts'

describeEngines('jobs: nested folders', (engine, itOnce) => {
  const world = jobsWorld(engine)
  const { open, fill, rowsOf, contents, keysOf, assertExact, run, counts, succeeded, codes, recordsOf } = world

  /**
   * What a folder's copy or move must come to: every object as it was before goes to its new key, however the two
   * folders lie in each other.
   */
  const model = (was: Map<string, string>, kind: 'copy' | 'move', prefix: string, dest: string) => {
    const chosen = [...was].filter(([key]) => key.startsWith(prefix))
    const result = new Map(was)
    if (kind === 'move') for (const [key] of chosen) result.delete(key)
    for (const [key, etag] of chosen) result.set(dest + key.slice(prefix.length), etag)
    return new Map([...result].sort(([a], [b]) => byBytes(a, b)))
  }

  /** Names that come before and after those of folders, so that no order of keys is right by chance. */
  const nested = (tops: readonly string[], n: number) =>
    tops.flatMap((top) => [...numbered(top, n / 2), ...numbered(`${top}z`, n / 2)])

  for (const [i, [kind, prefix, dest, n, tops]] of (
    [
      ['move', 'a/', '', 160, ['a/', 'a/a/', 'a/a/a/', 'a/b/', '', 'b/', 'a0']],
      ['move', 'a/b/', 'a/', 160, ['a/', 'a/b/', 'a/b/b/', 'a/b/b/b/x/', 'a/b/a/b/', 'b/']],
      ['move', 'a/', 'a', 160, ['a/', 'a//', 'a///', 'ab', 'a']],
      ['move', 'a/b/', 'c/', 100, ['a/b/', 'a/', 'c/', 'c/b/', 'a/b/c/']],
      // More on a level than are done in the first step.
      ['copy', 'a/', 'a/b/', 600, ['a/', 'a/b/', 'a/b/b/']],
      ['copy', 'a/', 'a/b/', 100, ['a/', 'a/b/', 'a/b/b/', 'a/b/b/b/c/', 'a/a/', 'a/zz/']],
      ['copy', 'a/', '', 600, ['a/', 'a/a/', '']],
      ['copy', 'a/', '', 100, ['a/', 'a/a/', 'a/a/a/', 'a/b/', 'b/', '']],
      ['copy', '', 'a/', 100, ['', 'a/', 'a/a/', 'b/', 'a/b/']],
      ['copy', 'a/', 'c/', 100, ['a/', 'c/', 'a/c/', 'c/a/']],
    ] as const
  ).entries())
    (i % 3 === 0 ? it : itOnce)(
      `comes to the right end: ${kind} of "${prefix}" to "${dest}", ${n} of the same names on every level`,
      async () => {
        const name = await open()
        await fill(name, nested(tops, n))
        const was = await contents(name)
        const chosen = [...was.keys()].filter((key) => key.startsWith(prefix)).length
        const job = await run({ kind, source_bucket: name, prefix, dest_prefix: dest })
        assert.deepEqual(counts(job), succeeded(chosen))
        const expected = model(was, kind, prefix, dest)
        const is = await contents(name)
        const wrong = [...expected].filter(([key, etag]) => is.get(key) !== etag).map(([key]) => key)
        assert.deepEqual([wrong.slice(0, 5), is.size], [[], expected.size], `${wrong.length} are wrong`)
        // What is not there any more was overwritten, and is in the trash.
        const kept = new Set(expected.values())
        const lost = [...was.values()].filter((etag) => !kept.has(etag))
        const trash = (await rowsOf('trash', name)).map(({ etag }) => etag)
        for (const etag of lost) assert.ok(trash.includes(etag))
        if (kind === 'move') assert.deepEqual(trash.sort(), lost.sort())
        assert.equal((await recordsOf(job.id)).length, chosen)
        await assertExact(name)
      },
    )

  itOnce('moves named keys level by level too', async () => {
    const name = await open()
    const keys = nested(['a/', 'a/b/', 'a/b/b/'], 600)
    await fill(name, [...keys, 'x'])
    const was = await contents(name)
    const job = await run({ kind: 'move', source_bucket: name, keys, prefix: 'a/', dest_prefix: 'a/b/' })
    assert.deepEqual([counts(job), codes(job)], [succeeded(1800), []])
    assert.deepEqual(await contents(name), model(was, 'move', 'a/', 'a/b/'))
    const back = await run({
      kind: 'move',
      source_bucket: name,
      keys: (await keysOf(name)).filter((key) => key !== 'x').reverse(),
      prefix: 'a/b/',
      dest_prefix: 'a/',
    })
    assert.deepEqual([counts(back), codes(back)], [succeeded(1800), []])
    assert.deepEqual([await contents(name), await rowsOf('trash', name)], [was, []])
    await assertExact(name)
  })

  itOnce('moves up the deepest possible nesting', async () => {
    const name = await open()
    const step = 'abcdefghi/'
    const deepest = step.repeat(102)
    await fill(name, times(102, (i) => `${step.repeat(i + 1)}x`).concat(`${deepest}yy`))
    const was = await contents(name)
    const job = await run({ kind: 'move', source_bucket: name, prefix: step, dest_prefix: '' })
    assert.deepEqual(counts(job), succeeded(103))
    assert.deepEqual(await contents(name), model(was, 'move', step, ''))
    assert.deepEqual(await rowsOf('trash', name), [])
    // And down, where the keys of the lowest become too long.
    await fill(name, [`${deepest}zz`])
    const down = await run({ kind: 'copy', source_bucket: name, prefix: '', dest_prefix: step })
    assert.deepEqual([down.failed, codes(down)], [1, [[`${deepest}zz`, 'invalid_request']]])
    await assertExact(name)
  })
})
