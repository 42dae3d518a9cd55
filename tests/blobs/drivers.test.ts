import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { sharedSync } from '../../server/base/shared-sync.ts'
import type { BlobDriver } from '../../server/drivers/driver.ts'
import { openBlobs } from '../../server/drivers/open.ts'
import { cephGateway, newBucket, noGateway } from '../support/ceph.ts'
import { until } from '../support/until.ts'
import { describeDriver } from './conformance.ts'
import { putBytes } from './conformance-bytes.ts'
import { filesIn, MiB, makeFolder } from './drivers.ts'

describeDriver(
  'file driver',
  async () => {
    const folder = makeFolder()
    const driver = await openBlobs(`file:${folder}/blobs`)
    return { driver, dispose: () => fs.promises.rm(folder, { recursive: true }) }
  },
  { part: 100_003, large: 1024 * MiB, leavesOut: true, keepsEach: true },
)

const gateway = await cephGateway()
if (gateway)
  describeDriver(
    'S3 driver',
    async () => {
      const open = () => openBlobs(url, { credentials: gateway.credentials })
      const url = newBucket(gateway)
      return { driver: await open(), dispose: () => empty(open) }
    },
    { part: 5 * MiB, large: 256 * MiB, leavesOut: false, keepsEach: false },
  )
else describe('S3 driver', { skip: noGateway }, () => {})

/** Removes all blobs that a storage has. */
async function empty(open: () => Promise<BlobDriver>): Promise<void> {
  const driver = await open()
  for await (const { id } of driver.list()) await driver.remove(id)
  for await (const { id } of driver.listAside()) await driver.removeAside(id)
  await driver.close()
}

describe('openBlobs', () => {
  test('takes absolute and relative folders', async (t) => {
    const folder = makeFolder()
    t.after(() => fs.rmSync(folder, { recursive: true }))
    for (const given of [path.join(folder, 'one'), path.relative(process.cwd(), path.join(folder, 'two', 'three'))]) {
      const driver = await openBlobs(`file:${given}`)
      await putBytes(driver, randomBytes(1))
      assert.equal(filesIn(path.resolve(given)).length, 1)
      await driver.close()
    }
  })

  test('refuses other storages', async () => {
    for (const url of ['ftp://x', 'data/blobs', 'file:', '', 'profile:x', 'FILE:x'])
      await assert.rejects(openBlobs(url), /file:<folder>/)
  })

  test('accepts an S3 bucket, and rejects unknown options without repeating their values', async () => {
    const endpoint = 'endpoint=http%3A%2F%2F127.0.0.1%3A9'
    for (const url of [
      's3://bucket',
      's3://bucket/',
      's3://bucket.of.mine/some/prefix/',
      `s3://bucket?${endpoint}&region=eu-1&path_style=false`,
      's3://bucket?endpoint=https://s3.example.com',
    ])
      await (await openBlobs(url)).close()
    for (const url of [
      's3:',
      's3://',
      's3:bucket',
      's3:///bucket',
      's3://B',
      's3://a',
      's3://bu_cket',
      's3://bucket:80',
      's3://key:hidden@bucket',
      's3://hidden@bucket',
      's3://bucket#hidden',
      's3://bucket?hidden=1',
      's3://bucket/a//hidden',
      's3://bucket/%E4hidden',
      's3://bucket/%2e%2e/hidden%00',
      's3://bucket?endpoint=hidden',
      's3://bucket?endpoint=ftp://hidden',
      's3://bucket?path_style=hidden',
      's3://bucket?endpoint=http://key:hidden@host',
      's3://bucket?region=a&region=hidden',
    ])
      await assert.rejects(
        openBlobs(url),
        (error: Error) => /^STORAGE_URL/.test(error.message) && !/hidden/.test(inspect(error)),
      )
  })
})

describe('sharedSync', () => {
  test('every caller gets a run that started after its call, one at a time', async () => {
    const call = fc.record({ delay: fc.integer({ min: -2, max: 4 }), again: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 30 }),
        fc.array(fc.record({ lasts: fc.integer({ min: -2, max: 3 }), fails: fc.boolean() }), { minLength: 1 }),
        async (calls, plan) => {
          let clock = 0
          let active = 0
          const runs: { began: number; ended: number; failed: boolean }[] = []
          const sync = sharedSync(async () => {
            const { lasts, fails } = plan[runs.length % plan.length] as (typeof plan)[number]
            const run = { began: ++clock, ended: 0, failed: fails }
            runs.push(run)
            assert.equal(++active, 1)
            await pause(lasts)
            active--
            run.ended = ++clock
            if (fails) throw new Error(String(run.began))
          })
          const once = async () => {
            const called = ++clock
            const failed = await sync().then(
              () => undefined,
              (error: Error) => Number(error.message),
            )
            const returned = ++clock
            // The first run after the call is the caller's, with its outcome.
            const own = runs.find(({ began }) => began > called)
            assert.ok(own && own.ended > 0 && own.ended < returned)
            assert.equal(failed, own.failed ? own.began : undefined)
          }
          await Promise.all(
            calls.map(async ({ delay, again }) => {
              await pause(delay)
              await once()
              if (again) await once()
            }),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('callers share: however many wait, two runs serve them', async () => {
    const begun: (() => void)[] = []
    const sync = sharedSync(() => new Promise<void>((resolve) => begun.push(resolve)))
    const first = sync()
    await until(() => begun.length === 1)
    const others = Promise.all(Array.from({ length: 100 }, () => sync()))
    begun[0]?.()
    await first
    await until(() => begun.length === 2)
    begun[1]?.()
    await others
    assert.equal(begun.length, 2)
  })

  test('a run that throws immediately rejects its callers and no later ones', async () => {
    let broken = true
    const sync = sharedSync(() => {
      if (broken) throw new Error('broken')
      return Promise.resolve()
    })
    const outcomes = await Promise.allSettled([sync(), sync()])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    broken = false
    await sync()
  })
})

/** -2 is not at all, -1 a microtask, 0 a turn of the event loop, above that milliseconds. */
async function pause(kind: number): Promise<void> {
  if (kind === -1) await null
  if (kind === 0) await new Promise((resolve) => setImmediate(resolve))
  if (kind > 0) await sleep(kind)
}
