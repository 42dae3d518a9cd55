import fs from 'node:fs'
import http from 'node:http'

/** The floor of a download: open the file and stream it. */
const file = process.argv[2] ?? ''
const { size } = fs.statSync(file)
const server = http.createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
  fs.createReadStream(file).pipe(response)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`))
