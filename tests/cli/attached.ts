import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Foreign, foreignBucket } from '../attached/foreign.ts'
import { cephGateway, noGateway } from '../support/ceph.ts'
import { type Engine, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { commandIn, envIn } from './command.ts'
import { type CuttingProxy, startProxy } from './proxy.ts'

const gateway = await cephGateway()
/** Why tests are skipped that need buckets of others. */
export const skip = gateway ? false : noGateway
/** A secret that no engine accepts. */
export const WRONG = 'a secret of an engine, not of ours'

/** A service, the command, and buckets of others on the tests' engine. */
export function attachedWorld(engine: Engine) {
  const { url = '', credentials } = gateway ?? {}
  const endpoint = URL.canParse(url) ? (new URL(url).searchParams.get('endpoint') ?? '') : ''
  const secret = credentials?.secretAccessKey ?? WRONG
  const reach = ['--endpoint', endpoint, '--access-key-id', credentials?.accessKeyId ?? '']
  const opened: Foreign[] = []
  let server: TestServer
  let proxy: CuttingProxy
  let folder: string
  let token: string
  const command = commandIn(() => ({ folder, env: envIn(folder, proxy.url, token) }))
  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-cli-'))
    server = await startServer(engine)
    proxy = await startProxy(server.url)
    token = (await server.admin.createToken({ body: { name: 'cli' } })).token
    for (const one of [token, WRONG, secret]) server.secrets.add(one)
  })
  after(async () => {
    for (const one of [token, WRONG, secret]) assert.equal(command.printed().includes(one), false)
    for (const foreign of opened) await foreign.empty()
    await proxy.close()
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a command while the service works on scans. */
  async function working(args: readonly string[], input = '') {
    let isOver = false
    const ended = command.strongroom(args, { input }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await server.running.tick('attached-scans')
      await pause(20)
    }
    return ended
  }
  return {
    ...command,
    working,
    get server() {
      return server
    },
    get proxy() {
      return proxy
    },
    endpoint,
    /** The secret of the engine's access key. */
    secret,
    /** The options with which the engine is reached. */
    reach,
    /** A bucket of others with objects whose contents are their keys. */
    async filled(...keys: string[]): Promise<Foreign> {
      if (!gateway) throw new Error(noGateway)
      const foreign = await foreignBucket(gateway)
      opened.push(foreign)
      for (const key of keys) await foreign.put(key, key)
      return foreign
    },
    /** Attaches a bucket as one with this name, and the storage too. */
    async attach({ bucket }: Foreign, name: string): Promise<void> {
      const args = ['attach', `s3://${bucket}`, ...reach, '--bucket', name, '--storage', name]
      const { code, err } = await working(args, `${secret}\n`)
      assert.deepEqual([code, err], [0, ''])
    },
    /** Waits for the end of a bucket's latest scan. */
    async scanned(bucket: string): Promise<void> {
      await until(async () => {
        await server.running.tick('attached-scans')
        const [latest] = (await server.admin.listScans({ params: { bucket }, query: { limit: 1 } })).items
        return latest !== undefined && latest.finished_at !== null
      })
    },
    /** Asserts that incorrect calls are explained, without asking the service anything. */
    async explains(wrong: readonly (readonly [why: RegExp, ...args: string[]])[]): Promise<void> {
      proxy.seen.length = 0
      const ended = await server.records([], () => Promise.all(wrong.map(([, ...args]) => command.strongroom(args))))
      for (const [i, { code, out, err }] of ended.entries()) {
        const [why = /./, ...args] = wrong[i] ?? []
        assert.deepEqual([args, code, out], [args, 2, ''])
        assert.match(err, why)
      }
      assert.deepEqual(proxy.seen, [])
    },
    /** The storages. */
    names: async () => (await server.admin.listStorages()).items.map(({ name }) => name),
  }
}
