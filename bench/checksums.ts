import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { type Measured, median, runMeasured } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * What the checksum costs that S3 uploads get if they bring none: a PUT with a CRC-64/NVME beside the same one without, in
 * turns, both through the API, which computes one only if it is asked for. `node bench/checksums.ts [--seconds N]
 * [--rounds N] [--size BYTES] [--connections N]`.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    size: { type: 'string', default: String(1024 * 1024) },
    connections: { type: 'string', default: '16' },
  },
})
buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const service = await spawnServer({ ...serviceEnv(folder), ...ALLOCATOR }, ['serve'], COMPILED)
try {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  await createClient({ baseUrl: service.url, token }).createBucket({ body: { name: 'bench', trash_days: 0 } })
  const urls = Array.from({ length: 64 }, (_, i) => `${service.url}/api/v1/buckets/bench/objects/put-${i}`)
  const put = (more: Record<string, string>): Promise<Measured> =>
    runMeasured(
      {
        method: 'PUT',
        url: urls[0] ?? '',
        urls,
        body: Number(options.size),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream', ...more },
        seconds: Number(options.seconds),
        connections: Number(options.connections),
      },
      service.child.pid,
    )
  await put({ 'x-checksum-algorithm': 'crc64nvme' })
  const rounds: { without: Measured; summed: Measured }[] = []
  for (let i = 0; i < Number(options.rounds); i++)
    rounds.push({ without: await put({}), summed: await put({ 'x-checksum-algorithm': 'crc64nvme' }) })
  const ratio = (of: (one: Measured) => number) =>
    median(rounds.map(({ without, summed }) => of(summed) / of(without))).toFixed(3)
  const middle = (kind: 'without' | 'summed') => {
    const all = rounds.map((round) => round[kind])
    return `${median(all.map((one) => one.perSecond)).toFixed(0)}/s, CPU ${median(all.map((one) => one.cpuMs)).toFixed(2)} ms`
  }
  console.log(`PUT of ${options.size} bytes: ${middle('without')}; with a CRC-64/NVME ${middle('summed')}`)
  console.log(`ratio of requests a second ${ratio((one) => one.perSecond)}, of CPU time ${ratio((one) => one.cpuMs)}`)
} finally {
  await service.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
