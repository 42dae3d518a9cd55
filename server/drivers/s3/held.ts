import * as s3 from '@aws-sdk/client-s3'
import type { BlobDriver } from '../driver.ts'
import { ask, S3Failure, unless } from './client.ts'

/** For how long it is not asked again whether a bucket locks objects, in milliseconds. */
const FRESH_MS = 600_000
/** What engines answer where a bucket, or all of them, lock nothing, or the key may not know. */
const NOT_LOCKING = [
  'ObjectLockConfigurationNotFoundError',
  'ObjectLockConfigurationNotFound',
  'NotImplemented',
  'MethodNotAllowed',
  'AccessDenied',
  'InvalidRequest',
  'NoSuchObjectLockConfiguration',
]

interface From {
  client: s3.S3Client
  Bucket: string
  keyOf(id: string): string
  remove(id: string): Promise<void>
}

/** Holds blobs in a bucket with Object Lock, in compliance mode: before the time has come, nobody can delete their version. */
export function s3Held({ client, Bucket, keyOf, remove }: From): Pick<BlobDriver, 'holds' | 'hold' | 'removeHeld'> {
  let asked: { at: number; locks: Promise<boolean> } | undefined

  async function askWhether(): Promise<boolean> {
    const request = client.send(new s3.GetObjectLockConfigurationCommand({ Bucket }))
    const found = await unless(NOT_LOCKING, ask('GetObjectLockConfiguration', request))
    return found?.ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled'
  }
  function holds(): Promise<boolean> {
    if (asked && performance.now() - asked.at < FRESH_MS) return asked.locks
    const now = { at: performance.now(), locks: askWhether() }
    asked = now
    now.locks.catch(() => {
      asked = undefined
    })
    return now.locks
  }

  /** All versions and markers of a key. */
  async function* versionsOf(Key: string): AsyncGenerator<string> {
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}
    do {
      const request = client.send(new s3.ListObjectVersionsCommand({ Bucket, Prefix: Key, ...from }))
      const page = await ask('ListObjectVersions', request)
      for (const one of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
        if (one.Key === Key && one.VersionId !== undefined) yield one.VersionId
      from = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : {}
    } while (from.KeyMarker !== undefined)
  }
  /** Until when a version is locked; undefined if it is not. */
  async function lockOf(Key: string, VersionId: string): Promise<Date | undefined> {
    const request = client.send(new s3.GetObjectRetentionCommand({ Bucket, Key, VersionId }))
    const answer = await ask('GetObjectRetention', request).catch((error: unknown) => {
      // It has none, or is a marker.
      if (error instanceof S3Failure && error.status !== undefined && error.status < 500 && !error.outage)
        return undefined
      throw error
    })
    return answer?.Retention?.RetainUntilDate
  }

  return {
    holds,
    async hold(id, until) {
      const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until } as const
      const request = client.send(new s3.PutObjectRetentionCommand({ Bucket, Key: keyOf(id), Retention }))
      await ask('PutObjectRetention', request)
    },
    async removeHeld(id) {
      await remove(id)
      if (!(await holds())) return null
      const Key = keyOf(id)
      let until: Date | null = null
      for await (const VersionId of versionsOf(Key))
        try {
          await ask('DeleteObject', client.send(new s3.DeleteObjectCommand({ Bucket, Key, VersionId })))
        } catch (error) {
          const locked = await lockOf(Key, VersionId)
          if (!locked) throw error
          if (until === null || locked > until) until = locked
        }
      return until
    },
  }
}
