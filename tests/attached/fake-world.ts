import { after, afterEach, before } from 'node:test'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { type FakeEngine, startFakeEngine } from './fake-engine.ts'
import { type Site, siteOf } from './site.ts'

/** A service with a storage on an engine that lies when told to, and no longer after each case. */
export function fakeWorld(env: Record<string, string> = {}, engine: Engine = 'sqlite') {
  let server: TestServer
  let site: Site
  let fake: FakeEngine
  let storage: string
  let places = 0
  before(async () => {
    fake = await startFakeEngine()
    server = await startServer(engine, env)
    site = siteOf(server)
    storage = await site.storage({
      endpoint: fake.endpoint,
      bucket: fake.bucket,
      prefix: '',
      access_key_id: 'id',
      secret_access_key: 'the secret of the fake engine',
    })
  })
  after(async () => {
    await server.stop()
    await fake.stop()
  })
  afterEach(() => {
    fake.lies = {}
    fake.page = 1000
  })
  return {
    /** Once the service runs. */
    parts: () => ({ server, site, fake, storage }),
    /** A prefix under which nothing lies yet. */
    nextPrefix: () => `place-${++places}/`,
  }
}
