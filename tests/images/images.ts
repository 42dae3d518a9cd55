import path from 'node:path'
import { systemActor } from '../../server/access/actors.ts'
import { readConfig } from '../../server/config/config.ts'
import { createContext, type System } from '../../server/context.ts'
import { imageStatus } from '../../server/features/images/service.ts'
import { start } from '../../server/process/start.ts'
import { type Answer, request } from '../support/http.ts'
import { type Engine, startServer } from '../support/server.ts'

export const bucket = 'pictures'

export type Query = Record<string, string | number>

/** A second service on the test's database, with its configuration, by which its counters can be read. */
export async function withImages(engine: Engine, env: Record<string, string> = {}) {
  const server = await startServer(engine)
  const folder = path.join(server.folder, 'image-cache', 'strongroom-images', '0')
  const config = readConfig({ ...server.env, UV_THREADPOOL_SIZE: '16', LOG_LEVEL: 'silent', ...env })
  const running = await start(config, { now: server.clock.now, timers: false })
  await server.admin.createBucket({ body: { name: bucket } })
  const ctx = createContext({ database: server.database, config } as System, systemActor)
  return {
    server,
    folder,
    config,
    ctx,
    url: running.url,
    status: () => imageStatus(ctx),
    /** Waits for what is done in the background. */
    settle: () => running.tick(),
    put: (key: string, bytes: Uint8Array) =>
      server.admin.putObjectByQuery({ params: { bucket }, query: { key }, body: bytes as BodyInit }),
    get: (key: string, query: Query | string = {}, options: Partial<Parameters<typeof request>[0]> = {}) =>
      request({ url: running.url, path: imagePath(key, query), token: server.adminToken, ...options }),
    async stop() {
      await running.stop()
      await server.stop()
    },
  }
}

export type Images = Awaited<ReturnType<typeof withImages>>

export const imagePath = (key: string, query: Query | string): string => {
  const text = typeof query === 'string' ? query : new URLSearchParams(query as Record<string, string>).toString()
  return `/api/v1/images/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

export const etagOf = ({ headers }: Answer): string => String(headers.etag)

export const problem = (answer: Answer) =>
  answer.json<{ code: string; detail: string; errors?: { path: string; message: string }[] }>()
