import { inFolders } from '../seed.ts'
import type { Answer, Connection, Request } from './connection.ts'
import { assertOk, signed, xmlOf } from './requests.ts'
import {
  ahead,
  BUCKET,
  circle,
  deleteAll,
  type Job,
  MANY,
  ownKey,
  ownKeys,
  putAll,
  type Row,
  random,
  shareOf,
} from './row.ts'

const KIB = 1024
const MIB = 1024 * KIB
const CONNECTIONS = 16
/** Keys that one DeleteObjects deletes. */
const AT_ONCE = 100
/** Keys of one page of a list. */
const PAGE = 1000
const PARTS = 4
const PART = 8 * MIB

function put(name: string, size: number, connections: number, aSecond: number): Row {
  return {
    name,
    unit: size < MIB ? 'requests' : 'bytes',
    connections,
    begin(job) {
      const body = random(size)
      const requests = ahead((aSecond * job.seconds) / job.of, (i) =>
        signed(job.target, 'PUT', ownKey(job, i), { body }),
      )
      const amount = this.unit === 'bytes' ? size : 1
      return {
        async one(connection, i) {
          assertOk(await connection.send(requests(i)))
          return amount
        },
        end: (done) => (size < MIB ? [] : deleteAll(job, ownKeys(job, done))),
      }
    },
  }
}

/** Keys that are only read, by the size of their bodies. */
const readKeys = (size: number, length: number) => Array.from({ length }, (_, i) => `${BUCKET}/read-${size}/${i}`)

function read(name: string, method: 'GET' | 'HEAD', size: number, objects: number, connections: number): Row {
  return {
    name,
    unit: size < MIB ? 'requests' : 'bytes',
    connections,
    fill: (job, each) => each(shareOf(job, putAll(job, readKeys(size, objects), random(size)))),
    begin(job) {
      const requests = circle(readKeys(size, objects).map((path) => signed(job.target, method, path)))
      const expected = method === 'GET' ? size : 0
      const amount = this.unit === 'bytes' ? size : 1
      return {
        async one(connection, i) {
          const { length } = assertOk(await connection.send(requests(i)))
          if (length !== expected) throw new Error(`${method} gave ${length} bytes instead of ${expected}`)
          return amount
        },
      }
    },
  }
}

const multipart: Row = {
  name: `multipart, ${PARTS} × 8 MiB, 4 at once`,
  unit: 'bytes',
  connections: 4,
  begin(job) {
    const body = random(PART)
    const { target } = job
    const send = async (connection: Connection, request: Request): Promise<Answer> =>
      assertOk(await connection.send(request, true))
    return {
      async one(connection, i) {
        const path = ownKey(job, i)
        const created = await send(connection, signed(target, 'POST', path, { query: { uploads: '' } }))
        const uploadId = /<UploadId>([^<]+)/.exec(created.body)?.[1] ?? ''
        let parts = ''
        for (let partNumber = 1; partNumber <= PARTS; partNumber++) {
          const query = { partNumber: String(partNumber), uploadId }
          const { head } = await send(connection, signed(target, 'PUT', path, { query, body }))
          parts += `<Part><PartNumber>${partNumber}</PartNumber><ETag>${/\r\netag: *(\S+)/i.exec(head)?.[1]}</ETag></Part>`
        }
        const xml = xmlOf(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`)
        const { body: text } = await send(connection, signed(target, 'POST', path, { query: { uploadId }, body: xml }))
        if (!text.includes('<CompleteMultipartUploadResult')) throw new Error(text)
        return PARTS * PART
      },
      end: (done) => deleteAll(job, ownKeys(job, done)),
    }
  },
}

const list: Row = {
  name: 'ListObjectsV2 of 1,000',
  unit: 'objects',
  connections: CONNECTIONS,
  fill: (job, each) => {
    const paths = [...shareOf(job, inFolders(job.keys))].map((key) => `${MANY}/${key}`)
    return each(putAll(job, paths, random(4 * KIB)))
  },
  async begin(job) {
    const keys = [...inFolders(job.keys)]
    const queries = [
      {},
      // The last key of each page but the last.
      ...keys.filter((_, i) => i % PAGE === PAGE - 1 && i < job.keys - 1).map((key) => ({ 'start-after': key })),
    ]
    const pages = queries.map((query) =>
      signed(job.target, 'GET', MANY, { query: { 'list-type': '2', 'max-keys': String(PAGE), ...query } }),
    )
    const requests = circle(pages)
    let checked = 0
    return {
      async one(connection, i) {
        const checks = checked < pages.length
        if (checks) checked++
        const { body } = assertOk(await connection.send(requests(i), checks))
        const found = checks ? body.split('<Key>').length - 1 : PAGE
        if (found !== PAGE) throw new Error(`A page lists ${found} objects instead of ${PAGE}`)
        return PAGE
      },
    }
  },
}

/** Keys that a client deletes in one turn; the turn puts them first. */
const doomedKeys = (job: Job): string[] => ownKeys(job, Math.ceil(job.deletes / job.of))

const deleteOne: Row = {
  name: 'DELETE',
  unit: 'requests',
  connections: CONNECTIONS,
  async begin(job, each) {
    const paths = doomedKeys(job)
    await each(putAll(job, paths, random(4 * KIB)))
    const requests = [...deleteAll(job, paths)]
    return {
      one(connection, i) {
        const request = requests[i]
        return request && connection.send(request).then((answer) => (assertOk(answer) ? 1 : 0))
      },
    }
  },
}

const deleteObjects: Row = {
  name: `DeleteObjects of ${AT_ONCE}`,
  unit: 'objects',
  connections: CONNECTIONS,
  async begin(job, each) {
    const paths = doomedKeys(job)
    await each(putAll(job, paths, random(4 * KIB)))
    const requests: { request: Request; keys: number }[] = []
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      const keys = paths.slice(at, at + AT_ONCE).map((path) => path.slice(BUCKET.length + 1))
      const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')
      const body = xmlOf(`<Delete><Quiet>true</Quiet>${objects}</Delete>`)
      const request = signed(job.target, 'POST', BUCKET, { query: { delete: '' }, body, md5: true })
      requests.push({ request, keys: keys.length })
    }
    const deleted = async (connection: Connection, request: Request, keys: number) => {
      const { body } = assertOk(await connection.send(request, true))
      if (body.includes('<Error>')) throw new Error(body.slice(0, 400))
      return keys
    }
    return {
      one(connection, i) {
        const next = requests[i]
        return next && deleted(connection, next.request, next.keys)
      },
    }
  },
}

/** 45 GET, 30 HEAD, 15 PUT and 10 DELETE, as of warp, shuffled: 37 and 100 have no divisor in common. */
const MIX = ['GET', 'HEAD', 'PUT', 'DELETE'].flatMap((method, i) =>
  Array<string>([45, 30, 15, 10][i] ?? 0).fill(method),
)
const mixAt = (i: number): string => MIX[(i * 37) % MIX.length] as string

const mixed: Row = {
  name: 'mixed, 4 KiB',
  unit: 'requests',
  connections: CONNECTIONS,
  fill: (job, each) => each(shareOf(job, putAll(job, readKeys(4 * KIB, 256), random(4 * KIB)))),
  async begin(job, each) {
    const body = random(4 * KIB)
    const { target } = job
    // These are there before, so that the first DELETEs need not wait for a PUT.
    const before = 2 * CONNECTIONS
    await each(putAll(job, ownKeys(job, before), body))
    const length = (1000 * job.seconds) / job.of
    const puts = ahead(length, (i) => signed(target, 'PUT', ownKey(job, before + i), { body }))
    const deletes = ahead(length, (i) => signed(target, 'DELETE', ownKey(job, i)))
    const gets = circle(readKeys(4 * KIB, 256).map((path) => signed(target, 'GET', path)))
    const heads = circle(readKeys(4 * KIB, 256).map((path) => signed(target, 'HEAD', path)))
    let put = 0
    /** Numbers of keys that are there and may be deleted. */
    const there = Array.from({ length: before }, (_, i) => i)
    return {
      async one(connection, i) {
        const method = mixAt(i)
        const doomed = method === 'DELETE' ? there.shift() : undefined
        if (doomed !== undefined) assertOk(await connection.send(deletes(doomed)))
        else if (method === 'PUT') {
          const n = put++
          assertOk(await connection.send(puts(n)))
          there.push(before + n)
        } else assertOk(await connection.send(method === 'HEAD' ? heads(i) : gets(i)))
        return 1
      },
    }
  },
}

export const ROWS: readonly Row[] = [
  put('PUT 4 KiB', 4 * KIB, CONNECTIONS, 3000),
  read('GET 4 KiB', 'GET', 4 * KIB, 256, CONNECTIONS),
  read('HEAD', 'HEAD', 4 * KIB, 256, CONNECTIONS),
  put('PUT 1 MiB', MIB, CONNECTIONS, 300),
  read('GET 1 MiB', 'GET', MIB, 64, CONNECTIONS),
  put('PUT 64 MiB, 4 at once', 64 * MIB, 4, 10),
  read('GET 64 MiB, 4 at once', 'GET', 64 * MIB, 4, 4),
  multipart,
  list,
  deleteOne,
  deleteObjects,
  mixed,
]
