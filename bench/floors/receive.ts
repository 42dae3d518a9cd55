import http from 'node:http'

/** A receiver of webhooks that does nothing: takes the body and answers 204. */
const server = http.createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => process.stdout.write(JSON.stringify(server.address())))
