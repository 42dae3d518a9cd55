import dgram from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** A name's addresses; null: no response at all. The n-th query for a name's A records has `asked` n. */
type Zone = (name: string, asked: number) => readonly string[] | null

export interface DnsServer {
  /** `127.0.0.1:<port>` */
  address: string
  /** Every query, as `A name`. */
  questions: string[]
  stop(): Promise<void>
}

const A = 1
const AAAA = 28

/** A DNS server on loopback that answers A and AAAA queries from a function, with a TTL of zero. */
export async function startDns(zone: Zone): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString())
      at += length + 1
    }
    const name = labels.join('.').toLowerCase()
    const type = query.readUInt16BE(at + 1)
    const question = `${type === A ? 'A' : type === AAAA ? 'AAAA' : type} ${name}`
    questions.push(question)
    const addresses = zone(name, questions.filter((one) => one === `A ${name}`).length)
    if (addresses === null) return
    const rows = addresses.map((one) => ipaddr.parse(one)).filter((one) => (one.kind() === 'ipv4' ? A : AAAA) === type)
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(rows.length, 6)
    const records = rows.map((one) => {
      const bytes = Buffer.from(one.toByteArray())
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt16BE(bytes.length, 10)
      return Buffer.concat([record, bytes])
    })
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async stop() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
