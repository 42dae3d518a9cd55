import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before } from 'node:test'
import type { Job } from '../../contract/jobs.ts'
import { storageOf } from '../../server/drivers/routing/ids.ts'
import { type Engine, STORED, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** More than the grace period of blobs. */
export const GRACE_MS = 2 * 3_600_000

/** A service that may register storages of files, and what its cases ask of it. */
export function storagesWorld(engine: Engine, env: Record<string, string> = {}) {
  let server: TestServer
  let disks: string
  let made = 0
  before(async () => {
    disks = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-disks-'))
    server = await startServer(engine, { ...STORED, STORAGE_FOLDERS: disks, ...env })
  })
  after(async () => {
    await server.stop()
    fs.rmSync(disks, { recursive: true, force: true })
  })
  const folderOf = (name: string) => path.join(disks, name)
  return {
    get server() {
      return server
    },
    get disks() {
      return disks
    },
    folderOf,
    /** Registers a storage of files in a folder of its name. */
    async storage(): Promise<string> {
      const name = `disk-${++made}`
      await server.admin.createStorage({ body: { name, kind: 'file', folder: folderOf(name) } })
      return name
    },
    async bucket(storage?: string, more: object = {}): Promise<string> {
      const name = `bucket-${++made}`
      await server.admin.createBucket({ body: { name, ...(storage ? { storage } : {}), ...more } })
      return name
    },
    put: (bucket: string, key: string, body: string | Uint8Array<ArrayBuffer>) =>
      server.admin.putObject({ params: { bucket, key }, body }),
    /** An object's bytes, as text. */
    async get(bucket: string, key: string): Promise<string> {
      const response = await server.admin.getObject({ params: { bucket, key } })
      return response.text()
    },
    /** Sends a part to the URL that an upload has for it; returns its ETag. */
    async sendPart(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
      const { pathname, search } = new URL(url)
      const response = await fetch(server.url + pathname + search, { method: 'PUT', body })
      assert.equal(response.status, 200, await response.text())
      return response.headers.get('etag') ?? ''
    },
    /** The ids of blobs in a storage of files, in order; parts are not blobs. */
    blobsOn(storage: string): string[] {
      const folder = folderOf(storage)
      if (!fs.existsSync(folder)) return []
      return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => /^[0-9a-f-]{36}(\.d)?$/.test(entry.name) && path.basename(entry.parentPath).length === 2)
        .map((entry) => entry.name.slice(0, 36))
        .sort()
    },
    /** On which storages the contents of a bucket are, by their ids, and of how many rows. */
    async places(bucket: string): Promise<Record<string, number>> {
      const { db } = server.database
      const { id } = await db.selectFrom('buckets').select('id').where('name', '=', bucket).executeTakeFirstOrThrow()
      const places: Record<string, number> = {}
      for (const table of ['objects', 'versions', 'trash'] as const)
        for (const { blob_id } of await db.selectFrom(table).select('blob_id').where('bucket_id', '=', id).execute())
          if (blob_id !== null) {
            const place = String(storageOf(blob_id) ?? 'default')
            places[place] = (places[place] ?? 0) + 1
          }
      return places
    },
    async idOf(storage: string): Promise<string> {
      const { db } = server.database
      return String(
        (await db.selectFrom('storages').select('id').where('name', '=', storage).executeTakeFirstOrThrow()).id,
      )
    },
    /** Runs a job to its end. */
    async run(body: Parameters<TestServer['admin']['createJob']>[0]['body']): Promise<Job> {
      let job = await server.admin.createJob({ body })
      await until(async () => {
        await server.running.tick('jobs')
        job = await server.admin.getJob({ params: { id: job.id } })
        return !['queued', 'running'].includes(job.status)
      })
      return job
    },
    /** Lets the collector remove what nothing points at. */
    async collect(): Promise<void> {
      await server.later(GRACE_MS)
      await server.running.tick('blob-collector')
    },
    counts: ({ status, total, done, failed }: Job) => ({ status, total, done, failed }),
  }
}

export const succeeded = (done: number, failed = 0) => ({ status: 'succeeded', total: done + failed, done, failed })

export const sameKeys = (actual: readonly string[], expected: readonly string[]) =>
  assert.deepEqual([...actual].sort(), [...expected].sort())
