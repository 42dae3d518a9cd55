import fs from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { inFolders } from '../seed.ts'

/**
 * The floor of an S3 server: the same requests without signatures, hashes and a database. Bodies are written to a file with
 * fdatasync and rename, and read from memory; lists are ready. Arguments: the folder and the port.
 */
const [, , folder = '.', port = '0'] = process.argv
/** Sizes and files by path. */
const objects = new Map<string, { size: number; file: string }>()
const bodies = new Map<number, Buffer>()
const bodyOf = (size: number): Buffer => {
  const body = bodies.get(size) ?? Buffer.alloc(size, 'strongroom ')
  bodies.set(size, body)
  return body
}
const contents = [...inFolders(1000)].map(
  (key) =>
    `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>4096</Size><StorageClass>STANDARD</StorageClass></Contents>`,
)
const list = Buffer.from(`<ListBucketResult>${contents.join('')}</ListBucketResult>`)
let n = 0

async function write(request: http.IncomingMessage): Promise<{ size: number; file: string }> {
  const file = path.join(folder, String(n++))
  const handle = await fs.open(`${file}.tmp`, 'wx')
  let size = 0
  for await (const chunk of request) {
    await handle.write(chunk as Uint8Array)
    size += (chunk as Uint8Array).length
  }
  await handle.datasync()
  await handle.close()
  await fs.rename(`${file}.tmp`, file)
  return { size, file }
}
async function remove(key: string): Promise<void> {
  const object = objects.get(key)
  objects.delete(key)
  if (object) await fs.unlink(object.file)
}

const server = http.createServer(async (request, response) => {
  const [key = '', query = ''] = (request.url ?? '').split('?')
  if (request.method === 'PUT') {
    const isBucket = key.lastIndexOf('/') === 0
    const made = isBucket ? undefined : await write(request)
    if (made) objects.set(query === '' ? key : `${key}?${query}`, made)
    return response.writeHead(200, { etag: '"floor"', 'content-length': 0 }).end()
  }
  if (request.method === 'DELETE') {
    await remove(key)
    return response.writeHead(204).end()
  }
  if (request.method === 'POST') {
    let text = ''
    for await (const chunk of request) text += chunk
    if (query.startsWith('delete'))
      for (const [, each] of text.matchAll(/<Key>([^<]*)/g)) await remove(`${key}/${each}`)
    const body = query.startsWith('uploads')
      ? '<InitiateMultipartUploadResult><UploadId>floor</UploadId></InitiateMultipartUploadResult>'
      : '<CompleteMultipartUploadResult/>'
    return response.writeHead(200, { 'content-length': body.length }).end(body)
  }
  if (query.includes('list-type')) return response.writeHead(200, { 'content-length': list.length }).end(list)
  const object = objects.get(key)
  if (!object) return response.writeHead(404, { 'content-length': 0 }).end()
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': object.size })
  response.end(request.method === 'HEAD' ? undefined : bodyOf(object.size))
})
server.listen(Number(port), '127.0.0.1')
