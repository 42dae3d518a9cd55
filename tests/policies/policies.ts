import { after, before } from 'node:test'
import type { Client } from '../../client/derived.ts'
import type { PolicyRun } from '../../contract/policies.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

export const DAY = 86_400_000

export type NewPolicy = Parameters<Client['createPolicy']>[0]['body']

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function policiesWorld(engine: Engine) {
  let server: TestServer
  let buckets = 0
  const open = async (body: object = {}) => {
    const name = `clean-${++buckets}x`
    await server.admin.createBucket({ body: { name, ...body } })
    return {
      name,
      put: (key: string, text = 'x') =>
        server.admin.putObject({ params: { bucket: name, key }, body: Buffer.from(text) }),
      keys: async () =>
        (await server.admin.listObjects({ params: { bucket: name }, query: { limit: 1000 } })).items.map((o) => o.key),
      trash: async () => (await server.admin.listTrash({ params: { bucket: name }, query: { limit: 1000 } })).items,
    }
  }
  const create = (body: Partial<NewPolicy> & { bucket_patterns: string[] }, client = server.admin) =>
    client.createPolicy({ body: { name: 'rule', ...body } })
  const run = (id: string, query: { dry_run?: boolean; of?: string } = {}, client = server.admin) =>
    client.runPolicy({ params: { id }, query })
  const items = async (one: PolicyRun, query: object = {}, client = server.admin) =>
    (await client.listPolicyRunItems({ params: { id: one.policy_id, run_id: one.id }, query })).items
  const brief = ({ status, matched, deleted, kept, bytes }: PolicyRun) => [status, matched, deleted, kept, bytes]

  before(async () => {
    server = await startServer(engine)
  })
  after(() => server.stop())

  return {
    get server() {
      return server
    },
    open,
    create,
    run,
    items,
    brief,
  }
}
