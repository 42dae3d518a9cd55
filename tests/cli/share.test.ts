// The command for links to each of many objects.
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { describeOnce, type TestServer } from '../support/server.ts'
import { commandWorld } from './world.ts'

describeOnce('the command for links to many objects', (engine) => {
  const world = commandWorld(engine)
  const { strongroom, ok } = world
  let server: TestServer
  before(async () => {
    server = world.parts().server
    await server.admin.createBucket({ body: { name: 'linked' } })
    for (const key of ['a/1', 'a/2', '=b'])
      await server.admin.putObjectByQuery({ params: { bucket: 'linked' }, query: { key }, body: key })
  })
  const created = (...keys: string[]) => keys.map((key) => ({ action: 'share_create' as const, bucket: 'linked', key }))
  const tokensIn = (text: string) => {
    const tokens = [...text.matchAll(/\/public\/s\/([\w-]+)/g)].map(([, one = '']) => one)
    for (const one of tokens) server.secrets.add(one)
    return tokens
  }
  const opened = async (one = '') => (await fetch(`${server.url}/public/s/${one}`)).text()

  it('creates one to each object of a folder, a bucket, and what is found', async () => {
    assert.equal(await server.records([], () => ok('share', '--each', '--dry-run', 'sr:linked/a')), '2 links\n')
    const said = await server.records(created('a/1', 'a/2'), () =>
      ok('share', '--each', '--yes', '--expires', '1h', 'sr:linked/a/'),
    )
    const tokens = tokensIn(said)
    assert.deepEqual(
      said.split('\n').map((line) => line.split('  ')[1]),
      ['sr:linked/a/1', 'sr:linked/a/2', undefined],
    )
    assert.deepEqual([await opened(tokens[0]), await opened(tokens[1])], ['a/1', 'a/2'])
    const csv = await server.records(created('=b', 'a/1', 'a/2'), () =>
      ok('share', '--each', '--yes', '--csv', '--expires', 'never', 'linked'),
    )
    tokensIn(csv)
    const [head = '', ...rows] = csv.trimEnd().split('\r\n')
    assert.equal(head, 'key,url,page_url,expires_at,id')
    assert.deepEqual(
      rows.map((row) => [row.split(',')[0], row.split(',')[3]]),
      [
        ["'=b", ''],
        ['a/1', ''],
        ['a/2', ''],
      ],
    )
    const json = await server.records(created('a/2'), () =>
      ok('share', '--find', 'key:*/2', '--yes', '--json', 'linked'),
    )
    tokensIn(json)
    assert.equal((JSON.parse(json) as { key: string }).key, 'a/2')
    assert.equal(await server.records([], () => ok('share', '--find', 'tag:none', '--yes', 'linked')), '0 links\n')
  })

  it('says what is wrong', async () => {
    const wrong: [number, RegExp, ...string[]][] = [
      [2, /only for --each/, '--yes', 'sr:linked/a/1'],
      [2, /--filename is the name of one file/, '--each', '--filename', 'x', 'sr:linked/a/'],
      [2, /Give --csv or --json/, '--each', '--csv', '--json', 'linked'],
      [1, /invalid_query/, '--find', 'sise:1', 'linked'],
      [1, /body.expires_in/, '--each', '--yes', '--expires', '1y', 'linked'],
    ]
    for (const [code, says, ...args] of wrong) {
      const ended = await server.records([], () => strongroom(['share', ...args]))
      assert.equal(ended.code, code, `${args.join(' ')}: ${ended.err}`)
      assert.match(ended.err, says)
    }
  })
})
