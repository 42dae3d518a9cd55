import { after, before } from 'node:test'
import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'

export const SECOND = 1000

export const BUCKET = 'hooked'

export type NewEndpoint = Parameters<Client['createWebhook']>[0]['body']

/** The service of a suite, started before and stopped after it, and what its cases ask of it. */
export function webhooksWorld(engine: Engine) {
  let server: TestServer
  const receivers: Receiver[] = []
  const receiver = async (reply?: Receiver['reply']) => {
    const one = await startReceiver(reply)
    receivers.push(one)
    return one
  }
  /** An endpoint for the uploads of one test alone. */
  const register = async (url: string, body: Partial<NewEndpoint> = {}) => {
    const prefix = `${newId()}/`
    const endpoint = await server.admin.createWebhook({
      body: { name: 'Test', url, events: ['upload'], bucket: BUCKET, prefix, ...body },
    })
    server.secrets.add(endpoint.secret)
    const params = { id: endpoint.id }
    return {
      ...endpoint,
      params,
      upload: (name = 'a.txt') => put(`${prefix}${name}`),
      deliveries: async () => (await server.admin.listDeliveries({ params })).items,
      read: () => server.admin.getWebhook({ params }),
      latest: async () => {
        const [first] = (await server.admin.listDeliveries({ params })).items
        return server.admin.getDelivery({ params: { ...params, delivery_id: first?.id ?? '' } })
      },
    }
  }
  const put = async (key: string) => {
    await server.admin.putObject({
      params: { bucket: BUCKET, key },
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    })
    return key
  }
  const tick = () => server.running.tick()

  before(async () => {
    server = await startServer(engine, { WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' })
    await server.admin.createBucket({ body: { name: BUCKET } })
  })
  after(async () => {
    await server.stop()
    for (const one of receivers) await one.stop()
  })

  return {
    get server() {
      return server
    },
    receiver,
    register,
    put,
    tick,
  }
}
