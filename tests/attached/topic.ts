import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { signerOf } from '../s3/s3.ts'
import type { Gateway } from '../support/ceph.ts'

/**
 * Has the tests' engine report the changes of a bucket to a URL, until `remove`. Ceph answers a write after the report. Until
 * then delete single objects only: of DeleteObjects with reports, the gateway of Ceph 16 dies.
 */
export async function reportChanges({ url, credentials }: Gateway, bucket: string, to: string) {
  const engine = new URL(new URL(url).searchParams.get('endpoint') ?? '')
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
  const signer = signerOf({ id: '', access_key_id, secret_access_key })

  async function send(method: string, path: string, query: Record<string, string>, body: string): Promise<string> {
    const { headers } = await signer.sign({
      method,
      protocol: 'http:',
      hostname: engine.hostname,
      port: Number(engine.port),
      path,
      query,
      body,
      headers: { host: engine.host, ...(body === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) },
    })
    const search = new URLSearchParams(query).toString()
    const sent = http.request({
      host: engine.hostname,
      port: engine.port,
      method,
      headers,
      agent: false,
      path: search === '' ? path : `${path}?${search}`,
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [http.IncomingMessage]
    const said = await text(answer)
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${said}`)
    return said
  }
  const sns = (fields: Record<string, string>) =>
    send('POST', '/', {}, new URLSearchParams({ Version: '2010-03-31', ...fields }).toString())

  const created = await sns({
    Action: 'CreateTopic',
    Name: bucket,
    'Attributes.entry.1.key': 'push-endpoint',
    'Attributes.entry.1.value': to,
  })
  const TopicArn = /<TopicArn>(.*?)</.exec(created)?.[1] ?? ''
  await send(
    'PUT',
    `/${bucket}`,
    { notification: '' },
    `<NotificationConfiguration><TopicConfiguration><Id>changes</Id><Topic>${TopicArn}</Topic><Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event></TopicConfiguration></NotificationConfiguration>`,
  )
  return {
    async remove(): Promise<void> {
      await send('DELETE', `/${bucket}`, { notification: '' }, '')
      await sns({ Action: 'DeleteTopic', TopicArn })
    },
  }
}
