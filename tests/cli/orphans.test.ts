import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { before, it } from 'node:test'
import { describeOnce, type TestServer } from '../support/server.ts'
import { commandWorld } from './world.ts'

describeOnce('the command for orphans', (engine) => {
  const world = commandWorld(engine)
  const { strongroom, ok } = world
  let server: TestServer
  let folder: string
  before(() => {
    ;({ server, folder } = world.parts())
  })

  it('compares a file with a bucket, and deletes what nobody needs once that is wanted', async () => {
    const bucket = 'compared'
    await server.admin.createBucket({ body: { name: bucket } })
    for (const key of ['a/1', 'a/2', 'b/1']) await server.admin.putObject({ params: { bucket, key }, body: key })
    const keys = async () => (await server.admin.listObjects({ params: { bucket } })).items.map(({ key }) => key)
    const list = path.join(folder, 'keys.txt')
    fs.writeFileSync(list, 'a/1\na/9\n')
    const said = await ok('orphans', '--needed', list, 'sr:compared/a/')
    assert.equal(
      said,
      'are needed: 2 objects\nare missing: 1 object\n  a/9\nare needed by nobody: 1 object, 3 B\n  a/2\n',
    )
    assert.deepEqual(await keys(), ['a/1', 'a/2', 'b/1'])
    await ok('orphans', '--needed', list, '--delete', '--yes', 'sr:compared/a/')
    assert.deepEqual(await keys(), ['a/1', 'b/1'])
    const wrong = await strongroom(['orphans', 'compared'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /--needed/)
  })
})
