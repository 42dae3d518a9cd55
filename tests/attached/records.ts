import { request } from '../support/http.ts'
import type { TestServer } from '../support/server.ts'

/** As Go's url.QueryEscape encodes a key, and so MinIO. */
export const escaped = (key: string): string => new URLSearchParams({ key }).toString().slice('key='.length)
/** As AWS encodes a key. */
export const asOnAws = (key: string): string => key.split('/').map(escaped).join('/')

/** A record of an event as engines send it, reduced to what is the same in all of them. */
export const recordOf = (
  bucket: string,
  key: unknown,
  { eventName = 'ObjectCreated:Put', eventSource = 'aws:s3' } = {},
) => ({
  eventVersion: '2.1',
  eventSource,
  awsRegion: '',
  eventTime: '2026-01-01T00:00:00.000Z',
  eventName,
  s3: {
    s3SchemaVersion: '1.0',
    configurationId: 'changes',
    bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` },
    object: { key, size: 1, eTag: 'c4ca4238a0b923820dcc509a6f75849b', versionId: '', sequencer: '8D40076BE4261505' },
  },
})

/** Reports a change of an object, as AWS does; returns the status. */
export async function report(
  server: TestServer,
  { storage, token }: { storage: string; token: string },
  bucket: string,
  key: string,
): Promise<number> {
  const { status } = await request({
    url: server.url,
    path: `/api/v1/storages/${storage}/events`,
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Records: [recordOf(bucket, asOnAws(key))] }),
  })
  return status
}
