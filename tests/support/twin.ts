import { type Client, createClient } from '../../client/derived.ts'
import { readConfig } from '../../server/config/config.ts'
import { type Running, start } from '../../server/process/start.ts'
import type { Engine, TestServer } from './server.ts'

/** The administrator's clients of a service, and of a second one on the same tables and folder where there can be one. */
export async function withTwin(
  server: TestServer,
  engine: Engine,
): Promise<{ twin: Running | undefined; clients: Client[] }> {
  // Two services on one SQLite file are not a deployment we have.
  if (engine === 'sqlite') return { twin: undefined, clients: [server.admin] }
  const config = readConfig({ ...server.env, LOG_LEVEL: 'silent' })
  const twin = await start(config, { now: server.clock.now, timers: false })
  return { twin, clients: [server.admin, createClient({ baseUrl: twin.url, token: () => server.adminToken })] }
}
