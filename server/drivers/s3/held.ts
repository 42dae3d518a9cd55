import * as s3 from '@aws-sdk/client-s3'
import type { BlobDriver } from '../driver.ts'
import { ask, S3Failure } from './client.ts'

/** For how long it is not asked again whether a bucket locks objects, in milliseconds. */
const FRESH_MS = 600_000
/** Whether an engine has answered that there is no such thing, in any of the ways that engines do, or that we may not know. */
const isRefused = (error: unknown): boolean =>
  error instanceof S3Failure &&
  !error.outage &&
  error.status !== undefined &&
  (error.status < 500 || error.status === 501)
const unlessRefused = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (isRefused(error)) return undefined
    throw error
  })

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
    const found = await unlessRefused(ask('GetObjectLockConfiguration', request))
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

  /** All versions of a key, and the markers on top of them. */
  async function* versionsOf(Key: string): AsyncGenerator<{ VersionId: string; isMarker: boolean }> {
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}
    do {
      const request = client.send(new s3.ListObjectVersionsCommand({ Bucket, Prefix: Key, ...from }))
      const { Versions = [], DeleteMarkers = [], ...page } = await ask('ListObjectVersions', request)
      for (const [isMarker, found] of [[false, Versions] as const, [true, DeleteMarkers] as const])
        for (const one of found)
          if (one.Key === Key && one.VersionId !== undefined) yield { VersionId: one.VersionId, isMarker }
      from = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : {}
    } while (from.KeyMarker !== undefined)
  }
  const removeVersion = (Key: string, VersionId: string) =>
    ask('DeleteObject', client.send(new s3.DeleteObjectCommand({ Bucket, Key, VersionId })))
  /** Until when a version, or the latest, is locked; undefined if it is not. */
  async function lockOf(Key: string, VersionId?: string): Promise<Date | undefined> {
    const request = client.send(new s3.GetObjectRetentionCommand({ Bucket, Key, VersionId }))
    return (await unlessRefused(ask('GetObjectRetention', request)))?.Retention?.RetainUntilDate
  }

  return {
    holds,
    async hold(id, until) {
      const Key = keyOf(id)
      const Retention = { Mode: 'COMPLIANCE', RetainUntilDate: until } as const
      try {
        await ask('PutObjectRetention', client.send(new s3.PutObjectRetentionCommand({ Bucket, Key, Retention })))
      } catch (error) {
        // A lock cannot be shortened.
        const locked = await lockOf(Key)
        if (!locked || locked < until) throw error
      }
    },
    async removeHeld(id) {
      await remove(id)
      if (!(await holds())) return null
      const Key = keyOf(id)
      const markers: string[] = []
      let until: Date | null = null
      for await (const { VersionId, isMarker } of versionsOf(Key))
        if (isMarker) markers.push(VersionId)
        else
          try {
            await removeVersion(Key, VersionId)
          } catch (error) {
            const locked = await lockOf(Key, VersionId)
            if (!locked) throw error
            if (until === null || locked > until) until = locked
          }
      // While there is one, nothing below it can be read.
      if (until === null) for (const VersionId of markers) await removeVersion(Key, VersionId)
      return until
    },
  }
}
