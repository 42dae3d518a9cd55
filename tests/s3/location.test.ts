import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startServer } from '../support/server.ts'
import { s3World } from './s3.ts'

describe('S3: where a complete upload is', () => {
  const behind = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
  for (const { name, env = {}, host, path = '/photos/a%20b/%C3%BC', headers = {}, expected } of [
    { name: 'at the host that was asked', expected: /^http:\/\/127\.0\.0\.1:\d+\/photos\/a%20b\/%C3%BC$/ },
    {
      name: 'below the bucket’s own host',
      env: { S3_DOMAIN: 's3.example.com' },
      host: 'photos.s3.example.com',
      path: '/a%20b/%C3%BC',
      expected: /^http:\/\/photos\.s3\.example\.com\/a%20b\/%C3%BC$/,
    },
    {
      name: 'with the scheme that a trusted proxy tells',
      env: { TRUSTED_PROXIES: 'loopback' },
      host: 's3.example.com',
      headers: behind,
      expected: /^https:\/\/s3\.example\.com\/photos\//,
    },
    {
      name: 'without the scheme that anyone tells',
      host: 's3.example.com',
      headers: behind,
      expected: /^http:\/\/s3\.example\.com\/photos\//,
    },
    {
      name: 'below S3_PUBLIC_URL',
      env: { S3_PUBLIC_URL: 'https://files.example.com' },
      host: 'internal',
      expected: /^https:\/\/files\.example\.com\/photos\/a%20b\/%C3%BC$/,
    },
  ] as { name: string; env?: object; host?: string; path?: string; headers?: object; expected: RegExp }[])
    it(name, async () => {
      const server = await startServer('sqlite', { S3_PORT: '0', ...env })
      try {
        const { keyOf, url, send, signed } = s3World(server)
        const pair = await keyOf()
        await server.admin.createBucket({ body: { name: 'photos' } })
        const ask = async (method: string, query: string, body = '') => {
          const sent = { host: host ?? url.host, ...headers }
          const one = { method, path: `${path}?${query}`, headers: sent, body }
          const answer = await send(method, one.path, { ...(await signed(pair, one)), ...headers }, body)
          assert.equal(answer.status, 200, answer.text)
          return answer
        }
        const id = /<UploadId>(.+?)</.exec((await ask('POST', 'uploads=')).text)?.[1]
        const { etag } = (await ask('PUT', `partNumber=1&uploadId=${id}`, 'x')).headers
        const part = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`
        const { text } = await ask(
          'POST',
          `uploadId=${id}`,
          `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`,
        )
        assert.match(/<Location>(.+?)</.exec(text)?.[1] ?? '', expected)
      } finally {
        await server.stop()
      }
    })
})
