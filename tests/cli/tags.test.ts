// The command that changes tags.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { describeOnce, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { commandWorld } from './world.ts'

describeOnce('the command for tags', (engine) => {
  const world = commandWorld(engine)
  const { strongroom, ok } = world
  let server: TestServer
  before(async () => {
    server = world.parts().server
    await server.admin.createBucket({ body: { name: 'tagged' } })
    for (const key of ['a/1', 'a/2', 'b'])
      await server.admin.putObject({ params: { bucket: 'tagged', key }, body: key })
  })
  const updated = (...keys: string[]) =>
    keys.map((key) => ({ action: 'update_object' as const, bucket: 'tagged', key }))
  const tags = async () =>
    (await server.admin.listObjects({ params: { bucket: 'tagged' } })).items.map(({ key, tags: of = {} }) => [key, of])

  it('changes the tags of an object, a folder, and what is found', async () => {
    assert.equal(await server.records([], () => ok('tag', '--add', 'a=b', '--dry-run', 'sr:tagged/a/')), '2 objects\n')
    const said = await server.records(updated('a/1', 'a/2'), () =>
      ok('tag', '--add', 'p=apollo', '--add', 'x=1=2', '--yes', 'sr:tagged/a/'),
    )
    assert.equal(said, '2 done\n')
    await server.records(updated('b'), () => ok('tag', '--add', 'p=gemini', '--yes', 'sr:tagged/b'))
    const found = await server.records(updated('a/1', 'a/2'), () =>
      ok('tag', '--find', 'tag:p=apollo', '--remove', 'x', '--yes', '--json', 'tagged'),
    )
    const job = JSON.parse(found) as { id: string; done: number }
    assert.equal(job.done, 2)
    assert.deepEqual(await tags(), [
      ['a/1', { p: 'apollo' }],
      ['a/2', { p: 'apollo' }],
      ['b', { p: 'gemini' }],
    ])
    await server.records(updated('a/1', 'a/2', 'b'), () => ok('tag', '--replace', 'only=', '--yes', 'tagged'))
    await server.records(updated('a/1', 'a/2', 'b'), () => ok('tag', '--clear', '--yes', 'tagged'))
    assert.equal(
      await server.records([], () => ok('tag', '--clear', '--find', 'tag:none', '--yes', 'tagged')),
      '0 objects\n',
    )
    const id = await ok('tag', '--add', 'late=1', '--yes', '--no-wait', 'sr:tagged/b')
    await until(async () => (await server.admin.getJob({ params: { id: id.trim() } })).status === 'succeeded')
  })

  it('says what is wrong, and what was left alone', async () => {
    const wrong: [number, RegExp, ...string[]][] = [
      [2, /Give what is to change/, 'sr:tagged/b'],
      [2, /write name=value/, '--add', '=x', 'tagged'],
      [2, /write name=value/, '--replace', 'x', 'tagged'],
      [2, /given twice/, '--add', 'a=1', '--add', 'a=2', 'tagged'],
      [2, /instead of all other changes/, '--clear', '--add', 'a=1', 'tagged'],
      [1, /invalid_query/, '--clear', '--find', 'sise:1', 'tagged'],
      [1, /body.tags.remove has "a"/, '--add', 'a=1', '--remove', 'a', 'tagged'],
      [1, /sr:tagged\/none: There is no object/, '--add', 'a=1', '--yes', 'sr:tagged/none'],
    ]
    for (const [code, says, ...args] of wrong) {
      const ended = await server.records([], () => strongroom(['tag', ...args]))
      assert.equal(ended.code, code, `${args.join(' ')}: ${ended.err}`)
      assert.match(ended.err, says)
    }
  })
})
