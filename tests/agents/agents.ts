import { after, before } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { ProblemError } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { s3World } from '../s3/s3.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

type NewAgent = Parameters<Client['createAgent']>[0]['body']

export const HOUR = 3_600_000
export const ALL = ['list', 'read', 'write', 'delete', 'share'] as const

/** A service with an endpoint for S3, and what suites about agents ask of it. */
export function agentsWorld(engine: Engine, env: Record<string, string> = {}) {
  let server: TestServer
  before(async () => {
    server = await startServer(engine, { S3_PORT: '0', ...env })
  })
  after(() => server.stop())

  /** A bucket with these objects; the contents of each is its key. */
  async function bucketWith(...keys: string[]): Promise<string> {
    const { name: bucket } = await server.admin.createBucket({ body: { name: `a-${newId().slice(-12)}` } })
    for (const key of keys) await server.admin.putObject({ params: { bucket, key }, body: key })
    return bucket
  }
  /** An agent of the administrator, or of whoever is given, with clients of both fronts. */
  async function agentOn(bucket: string, more: Partial<NewAgent> = {}, maker: Client = server.admin) {
    const made = await maker.createAgent({
      body: { name: 'sorter', scope: [{ bucket, actions: [...ALL] }], ...more },
    })
    server.secrets.add(made.token).add(made.secret_access_key)
    const { access_key_id, secret_access_key } = made
    const s3 = s3World(server).clientOf({ id: made.id, access_key_id, secret_access_key })
    return { ...made, client: server.as(made.token), s3 }
  }
  const keysOf = async (bucket: string): Promise<string[]> =>
    (await server.admin.listObjects({ params: { bucket } })).items.map(({ key }) => key)
  /** Waits for a job's end. */
  async function ended(id: string) {
    let job = await server.admin.getJob({ params: { id } })
    await until(async () => {
      job = await server.admin.getJob({ params: { id } })
      return job.finished_at !== null
    })
    return job
  }
  return {
    get server() {
      return server
    },
    bucketWith,
    agentOn,
    keysOf,
    ended,
  }
}

/** How a call ended: `ok`, or the code of its problem. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof ProblemError) return error.problem.code
      throw error
    },
  )
