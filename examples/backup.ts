// Keeps a folder's files in a bucket and prints a link to the newest. Runs directly on Node 24:
//
//   npm install strongroom
//   STRONGROOM_URL=https://strongroom.example.com STRONGROOM_TOKEN=svc_pat_… node backup.ts ./reports reports
//
// The token comes from the console (Tokens) or `POST /api/v1/tokens`.
import { openAsBlob } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { createClient, ProblemError, type StoredObject, uploadFile } from 'strongroom/client'

const [folder = '.', bucket = 'reports'] = process.argv.slice(2)
const client = createClient({
  baseUrl: process.env.STRONGROOM_URL ?? 'http://127.0.0.1:8080',
  token: () => process.env.STRONGROOM_TOKEN,
})

try {
  await client.createBucket({ body: { name: bucket, trash_days: 30 } })
} catch (error) {
  if (!(error instanceof ProblemError && error.code === 'already_exists')) throw error
}

const stored = new Map<string, StoredObject>()
for await (const object of client.all.listObjects({ params: { bucket } })) stored.set(object.key, object)

for (const entry of await readdir(folder, { withFileTypes: true })) {
  if (!entry.isFile()) continue
  const file = path.join(folder, entry.name)
  const { size } = await stat(file)
  if (stored.get(entry.name)?.size === size) continue
  const object = await uploadFile(client, {
    bucket,
    key: entry.name,
    file: await openAsBlob(file),
    onProgress: (sent) => process.stderr.write(`\r${entry.name}: ${Math.round((100 * sent) / (size || 1))} %`),
  })
  process.stderr.write('\n')
  stored.set(object.key, object)
}

const newest = [...stored.values()].sort((a, b) => b.last_modified.localeCompare(a.last_modified))[0]
if (newest) {
  const { url } = await client.createShare({ body: { kind: 'object', bucket, key: newest.key, expires_in: '7d' } })
  console.log(`${stored.size} files; the newest is ${newest.key}: ${url}`)
}
