// A receiver of Strongroom's webhooks in Node, without dependencies:
//   WEBHOOK_SECRET='whsec_…' PORT=9000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import http from 'node:http'

const secret = process.env.WEBHOOK_SECRET ?? ''
const seen = new Set()

/** Whether the header is `sha256=` and the HMAC of exactly these bytes. The key is the secret as it was shown. */
function isOurs(body, header = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(header)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const server = http.createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    // The raw bytes: parsing and re-serialising the JSON could change them.
    const body = Buffer.concat(chunks)
    const { 'x-strongroom-signature': signature, 'x-strongroom-signature-next': next } = request.headers
    // During a rotation, either secret may be the one you have.
    if (!isOurs(body, signature) && !isOurs(body, next)) return response.writeHead(401).end()
    // Respond first, work later: after its timeout the sender repeats the delivery.
    response.writeHead(204).end()
    const id = request.headers['x-strongroom-delivery']
    if (seen.has(id)) return
    seen.add(id)
    const { event, bucket, object_key } = JSON.parse(body.toString())
    console.log(`${event} ${bucket} ${object_key}`)
  })
})
server.listen(Number(process.env.PORT ?? 9000), process.env.HOST ?? '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
)
