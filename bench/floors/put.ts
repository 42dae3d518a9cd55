import fs from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

/** The floor of a durable upload: the body to a temporary file, fdatasync, rename. Nothing else. */
const folder = await fs.mkdtemp(path.join(process.argv[2] ?? os.tmpdir(), 'floor-put-'))
let n = 0
const server = http.createServer(async (request, response) => {
  const file = path.join(folder, String(n++))
  const handle = await fs.open(`${file}.tmp`, 'wx')
  for await (const chunk of request) await handle.write(chunk as Uint8Array)
  await handle.datasync()
  await handle.close()
  await fs.rename(`${file}.tmp`, file)
  response.writeHead(201).end()
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`))
process.on('SIGTERM', async () => {
  await fs.rm(folder, { recursive: true, force: true })
  process.exit(0)
})
