import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { type Job, type Measured, median, runMeasured } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * What the checksum costs that S3 uploads get if they bring none, a CRC-64/NVME. In turns: a PUT through the API without a
 * checksum and with that one, which the API computes only if it is asked to; and at the S3 endpoint one that brings a CRC-32,
 * which native code computes, and one that brings none. `node bench/checksums.ts [--seconds N] [--rounds N] [--size BYTES]
 * [--connections N] [--built]`; with `--built` the service is taken as it was built before.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    size: { type: 'string', default: String(1024 * 1024) },
    connections: { type: 'string', default: '16' },
    built: { type: 'boolean', default: false },
  },
})
const size = Number(options.size)
const KEYS = Array.from({ length: 64 }, (_, i) => `put-${i}`)

if (!options.built) buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const service = await spawnServer({ ...serviceEnv(folder), ...ALLOCATOR, S3_PORT: '0' }, ['serve'], COMPILED)
try {
  await measure()
} finally {
  await service.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}

/** CPU time of the thread that answers requests, in ms (Linux). */
function mainMs(): number {
  const { pid } = service.child
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

async function measure(): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  await client.createBucket({ body: { name: 'bench', trash_days: 0 } })
  const { access_key_id, secret_access_key } = await client.createAccessKey({ body: { name: 'bench' } })
  const s3 = new S3Client({
    endpoint: /S3 clients.*: (http:\S+)/.exec(service.log())?.[1] ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    // By default the SDK signs the checksum of no bytes into the URL.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  })
  const sum = Buffer.alloc(4)
  // Of the body that load.ts sends.
  sum.writeUInt32BE(crc32(Buffer.alloc(size, 'strongroom ')))
  const signed = (more: object) =>
    Promise.all(
      KEYS.map((Key) =>
        getSignedUrl(s3, new PutObjectCommand({ Bucket: 'bench', Key, ...more }), { expiresIn: 604_800 }),
      ),
    )
  const api = KEYS.map((key) => `${service.url}/api/v1/buckets/bench/objects/${key}`)
  const job = (urls: readonly string[], headers: Record<string, string> = {}): Job => ({
    method: 'PUT',
    url: urls[0] ?? '',
    urls,
    body: size,
    headers,
    seconds: Number(options.seconds),
    connections: Number(options.connections),
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
  await compare(
    'API: none / CRC-64/NVME',
    job(api, headers),
    job(api, { ...headers, 'x-checksum-algorithm': 'crc64nvme' }),
  )
  const brought = await signed({ ChecksumCRC32: sum.toString('base64') })
  await compare('S3: brings a CRC-32 / brings none', job(brought), job(await signed({})))
}

/** What is measured of an upload. */
type Upload = Measured & { mainMs: number }

async function upload(job: Job): Promise<Upload> {
  const before = mainMs()
  const measured = await runMeasured(job, service.child.pid)
  return { ...measured, mainMs: (mainMs() - before) / (measured.perSecond * job.seconds) }
}

/** Sends both kinds of upload in turns, and prints the medians and the medians of their ratios. */
async function compare(name: string, without: Job, summed: Job): Promise<void> {
  await upload(summed)
  const rounds: [Upload, Upload][] = []
  for (let i = 0; i < Number(options.rounds); i++) rounds.push([await upload(without), await upload(summed)])
  const said = (of: (one: Upload) => number, digits: number) => {
    const [first, second] = ([0, 1] as const).map((kind) =>
      median(rounds.map((round) => of(round[kind]))).toFixed(digits),
    )
    return `${first} / ${second}, ${median(rounds.map(([a, b]) => of(b) / of(a))).toFixed(3)}`
  }
  console.log(
    `PUT of ${size} bytes, ${name}: ${said((one) => one.perSecond, 0)} a second; CPU ms ${said((one) => one.cpuMs, 2)}; of the main thread ${said((one) => one.mainMs, 2)}`,
  )
}
