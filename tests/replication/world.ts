import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import type { Replication } from '../../contract/replication.ts'
import { type Foreign, foreignBucket } from '../attached/foreign.ts'
import { placeOn } from '../attached/site.ts'
import { s3World } from '../s3/s3.ts'
import type { Gateway } from '../support/ceph.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** A service with an endpoint for S3, an engine with a bucket for replicas, and what tests ask of both. */
export function replicationWorld(engine: Engine, gateway: Gateway, env: Record<string, string> = {}) {
  let server: TestServer
  let foreign: Foreign
  let client: s3.S3Client
  let made = 0
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', ...env })
    foreign = await foreignBucket(gateway)
    const world = s3World(server)
    client = world.clientOf(await world.keyOf())
  })
  after(async () => {
    await foreign.empty()
    await server.stop()
  })
  const world = {
    get server() {
      return server
    },
    get foreign() {
      return foreign
    },
    get s3() {
      return client
    },
    /** Registers the engine, reached by an endpoint, with a place of its own. */
    async storage(endpoint?: string, to: Pick<Foreign, 'bucket'> = foreign): Promise<{ name: string; prefix: string }> {
      const own = new URL(gateway.url).searchParams.get('endpoint') ?? ''
      const name = `engine-${++made}`
      const place = { ...placeOn(gateway, endpoint ?? own), bucket: to.bucket, prefix: `${name}/` }
      server.secrets.add(place.secret_access_key)
      await server.admin.createStorage({ body: { name, ...place } })
      return { name, prefix: place.prefix }
    },
    async bucket(more: object = {}): Promise<string> {
      const name = `source-${++made}`
      await server.admin.createBucket({ body: { name, ...more } })
      return name
    },
    /** A bucket that is replicated to a place of its own. */
    async replicated(
      given: Partial<Parameters<TestServer['admin']['setReplication']>[0]['body']> = {},
      more: object = {},
    ): Promise<{ bucket: string; prefix: string }> {
      const bucket = await world.bucket(more)
      const { name, prefix } = await world.storage()
      await server.admin.setReplication({ params: { bucket }, body: { storage: name, ...given } })
      return { bucket, prefix }
    },
    put: (bucket: string, key: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      server.admin.putObject({ params: { bucket, key }, body, headers }),
    state: (bucket: string): Promise<Replication> => server.admin.getReplication({ params: { bucket } }),
    /** Works until nothing waits, or the queue is as expected. */
    async settle(bucket: string, isSo = ({ backlog, filled }: Replication) => backlog.objects === 0 && filled) {
      await until(async () => {
        await server.running.tick('replication')
        const state = await world.state(bucket)
        // What is tried again later is tried now.
        if (!isSo(state)) server.clock.advance(2000)
        return isSo(state)
      })
    },
    /** What is there, by key without the prefix: the bytes as text. */
    async there(prefix: string): Promise<Record<string, string>> {
      const found: Record<string, string> = {}
      for (const { key } of await foreign.listed())
        if (key.startsWith(prefix)) found[key.slice(prefix.length)] = (await foreign.bytesOf(key)).toString()
      return found
    },
    /** `x-amz-replication-status` of an object, and of one version. */
    async status(Bucket: string, Key: string, VersionId?: string): Promise<string | undefined> {
      const head = await client.send(new s3.HeadObjectCommand({ Bucket, Key, VersionId }))
      return head.ReplicationStatus
    },
    async noDifference(bucket: string): Promise<void> {
      const { differences, next_cursor } = await server.admin.verifyReplication({ params: { bucket }, body: {} })
      assert.deepEqual([differences, next_cursor], [[], null])
    },
  }
  return world
}
