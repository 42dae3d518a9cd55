import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { type Client, createClient } from '../../client/derived.ts'
import { send } from './wire.ts'

const CONTENTS = 'contents of a file with a limit'
const ranges = ['bytes=0-', 'bytes=1-', 'bytes=5-9', 'bytes=-1', 'bytes=0-0,4-5', 'bytes=999-', 'bytes=0-99999999999']
const validators = [undefined, '"x"', '*', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'etag']

/** Scenarios of several requests: returns rule violations, each with its request. */
export async function playScenarios(url: string, admin: Client, bucket: string): Promise<string[]> {
  return [...(await spentLink(url, admin, bucket)), ...(await revokedUpload(url, admin, bucket))]
}

/** After a link's limit is used up, ranges of all kinds together return at most the object's size again, never all at once. */
async function spentLink(url: string, admin: Client, bucket: string): Promise<string[]> {
  const key = 'docs/limited'
  const { etag } = await admin.putObject({ params: { bucket, key }, body: CONTENTS })
  const { token } = await admin.createShare({ body: { kind: 'object', bucket, key, max_downloads: 1 } })
  const ask = (headers: readonly (readonly [string, string])[]) =>
    send(
      new URL(url),
      {
        method: 'GET',
        target: `/api/v1/public/s/${token}`,
        body: undefined,
        framing: 'length',
        headers: [['host', 'fuzz.invalid'], ['x-forwarded-for', '192.0.2.77'], ...headers],
      },
      60_000,
    )
  await ask([])
  const faults: string[] = []
  let more = 0
  for (const range of ranges)
    for (const validator of validators) {
      const condition = validator === 'etag' ? `"${etag}"` : validator
      const headers = [['range', range], ...(condition === undefined ? [] : [['if-range', condition]])] as [
        string,
        string,
      ][]
      const { status, body } = await ask(headers)
      if (status === 206) more += body.length
      if (status < 400 && (status !== 206 || more > CONTENTS.length))
        faults.push(`a spent link answers ${status} to ${JSON.stringify(headers)}, ${more} bytes by then`)
    }
  return faults
}

/** What is half sent when its sender loses the right is not committed. */
async function revokedUpload(url: string, admin: Client, bucket: string): Promise<string[]> {
  const id = randomUUID()
  const grants = [{ bucket_pattern: bucket, actions: ['read' as const, 'write' as const] }]
  const group = await admin.createGroup({ body: { name: `revoked ${id}`, grants } })
  const person = { email: `${id}@example.com`, password: 'a password of a person' }
  await admin.createUser({ body: { ...person, display_name: 'Revoked', group_ids: [group.id] } })
  const headers = { 'x-forwarded-for': `2001:db8:1:${id.slice(0, 4)}::1` }
  const login = { username: person.email, password: person.password }
  const { access_token } = await createClient({ baseUrl: url }).login({ headers, body: login })
  const key = `docs/revoked-${id}`
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      // Requested once the service has started on it.
      if (/^HTTP\/1.1 100 /.test(text)) {
        text = ''
        socket.write('half ')
        void admin
          .deleteGroup({ params: { id: group.id }, query: { force: true } } as never)
          .finally(() => socket.write('sent.'))
      }
    })
    socket.on('close', () => resolve(text))
    socket.on('error', () => resolve(text))
  })
  socket.write(
    `PUT /api/v1/buckets/${bucket}/objects/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access_token}\r\nExpect: 100-continue\r\nContent-Length: 10\r\nConnection: close\r\n\r\n`,
  )
  const text = await answer
  const stored = await admin.listObjects({ params: { bucket }, query: { prefix: key } })
  return stored.items.length === 0
    ? []
    : [`an upload was committed after its sender lost the right: ${text.slice(0, 15)}`]
}
