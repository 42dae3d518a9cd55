import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'
import type { Configuration } from '../../contract/configuration.ts'
import { openDatabase } from '../../server/db/open.ts'
import { killableService } from '../support/killable.ts'
import { allActions, describeEngines } from '../support/server.ts'
import { until } from '../support/until.ts'

const KILLS = 3
const EACH = 30
const times = <T>(make: (i: number) => T): T[] => Array.from({ length: EACH }, (_, i) => make(i))

const configuration: Configuration = {
  groups: times((i) => ({
    name: `Group ${i}`,
    grants: [{ bucket_pattern: `bucket-${i}`, preset: 'viewer' as const }],
  })),
  users: times((i) => ({ email: `user-${i}@example.com`, groups: [`Group ${i}`] })),
  buckets: times((i) => ({
    name: `bucket-${i}`,
    lifecycle: [{ id: 'old', expiration: { days: 30 } }],
    public_access_blocked: true,
  })),
  policies: times((i) => ({ name: `Policy ${i}`, bucket_patterns: [`bucket-${i}`], older_than_days: 7 })),
}

describeEngines('kill -9 while a configuration is applied', (engine) => {
  const service = killableService(engine)

  it('leaves whole entries only, and the same configuration then makes the others', async (t) => {
    let client = await service.connect()
    const database = await openDatabase(service.databaseUrl)
    const recorded = async () => (await allActions(database)).length
    for (let kills = 0; kills < KILLS; kills++) {
      const ended = client.apply({ body: { configuration } }).then(
        () => 'applied',
        () => 'broken off',
      )
      const target = (await recorded()) + randomInt(1, EACH)
      await until(async () => (await recorded()) >= target)
      assert.equal(await service.running.kill('SIGKILL'), 'SIGKILL')
      t.diagnostic(`${await ended} after kill ${kills + 1}`)
      client = await service.connect()
    }
    const { changes } = await client.apply({ body: { configuration } })
    t.diagnostic(`${changes.length} of ${4 * EACH} entries were left`)
    assert.deepEqual(
      changes.filter(({ action, result }) => action !== 'create' || result !== 'done'),
      [],
      'an entry was made in part',
    )
    const again = await client.apply({ body: { configuration } })
    assert.deepEqual([again.changes, again.unchanged], [[], 4 * EACH])
    assert.equal((await client.verifyAudit({ query: {} })).ok, true)
    const created = (await allActions(database)).filter(({ action }) => action === 'create_bucket')
    await database.close()
    assert.equal(created.length, EACH, 'a bucket was created twice')
  })
})
