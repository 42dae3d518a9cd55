import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { type ServerProcess, spawnServer } from '../tests/support/process.ts'
import { type Job, type Measured, median, runMeasured } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, growthDuring, serviceEnv, WHO } from './service.ts'

/**
 * Measures requests for encrypted contents beside the same ones for plain contents, taking turns:
 * `node bench/encryption.ts [--only text] [--seconds N] [--rounds N] [--large MiB]`; `large` is the size of the object of
 * which ranges are read.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    large: { type: 'string', default: '1024' },
  },
})
const SECONDS = Number(options.seconds)
const ROUNDS = Number(options.rounds)
const MIB = 1024 * 1024
const LARGE = Number(options.large) * MIB
const PLAIN = 'plain'
const SEALED = 'sealed'

const rows: Record<string, { plain: string; encrypted: string; ratio: string; target: string; cpu: string }> = {}
buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
let server: ServerProcess | undefined
try {
  server = await spawnServer({ ...serviceEnv(folder), ...ALLOCATOR }, ['serve'], COMPILED)
  await measure(server)
} finally {
  await server?.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${os.cpus().length} cores, SQLite + files`)
console.table(rows)

async function measure(service: ServerProcess): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  await client.createBucket({ body: { name: PLAIN, trash_days: 0 } })
  await client.createBucket({ body: { name: SEALED, trash_days: 0, encryption: { algorithm: 'AES256' } } })
  const headers = { authorization: `Bearer ${token}` }
  const at = (bucket: string, key: string) => `${service.url}/api/v1/buckets/${bucket}/objects/${key}`
  const job = (method: string, url: string, more: Partial<Job> = {}): Job => ({
    method,
    url,
    headers,
    body: 0,
    seconds: SECONDS,
    connections: 16,
    ...more,
  })

  async function compare(name: string, target: string, of: (bucket: string) => Job): Promise<void> {
    if (!name.includes(options.only)) return
    const found: Record<string, Measured[]> = { [PLAIN]: [], [SEALED]: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const bucket of round % 2 === 0 ? [PLAIN, SEALED] : [SEALED, PLAIN])
        found[bucket]?.push(await runMeasured(of(bucket), service.child.pid))
    const [plain = [], sealed = []] = [found[PLAIN], found[SEALED]]
    const ratio = median(sealed.map((one, i) => one.perSecond / (plain[i]?.perSecond ?? 1)))
    const text = (all: readonly Measured[]) =>
      `${median(all.map(({ perSecond }) => perSecond)).toFixed(0)}/s, ${median(all.map(({ medianMs }) => medianMs)).toFixed(2)} ms`
    const cpu = median(sealed.map((one, i) => one.cpuMs / (plain[i]?.cpuMs ?? 1)))
    rows[name] = { plain: text(plain), encrypted: text(sealed), ratio: ratio.toFixed(2), target, cpu: cpu.toFixed(2) }
    console.log(name, rows[name])
  }

  for (const [bucket, size] of [PLAIN, SEALED].flatMap((one) => [4096, MIB].map((size) => [one, size] as const)))
    await client.putObject({ params: { bucket, key: `of-${size}` }, body: Buffer.alloc(size, 'strongroom ') })
  for (const size of [4096, MIB]) {
    const name = size === MIB ? '1 MiB' : '4 KiB'
    await compare(`GET ${name}`, size === MIB ? '≥ 0.8' : '≥ 0.9', (bucket) => job('GET', at(bucket, `of-${size}`)))
    await compare(`PUT ${name}`, size === MIB ? '≥ 0.85' : '≥ 0.9', (bucket) =>
      job('PUT', at(bucket, 'put-#'), { body: size }),
    )
  }

  if (!'range'.includes(options.only) && !'memory'.includes(options.only)) return
  async function* large() {
    const chunk = Buffer.alloc(MIB, 'strongroom ')
    for (let i = 0; i < LARGE / MIB; i++) yield chunk
  }
  const send = (bucket: string) =>
    fetch(at(bucket, 'large'), {
      method: 'PUT',
      headers: { ...headers, 'content-length': String(LARGE) },
      body: large() as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit).then((answer) => answer.json())
  const read = async (bucket: string) => {
    for await (const _ of (await fetch(at(bucket, 'large'), { headers })).body ?? []);
  }
  for (const [name, work] of [
    ['PUT', send],
    ['GET', read],
  ] as const) {
    const grown: number[] = []
    for (const bucket of [PLAIN, SEALED]) grown.push((await growthDuring(service, () => work(bucket))).mb)
    const [plain = 0, sealed = 0] = grown
    const row = { plain: `${plain.toFixed(0)} MB`, encrypted: `${sealed.toFixed(0)} MB` }
    rows[`memory of a ${name} of ${LARGE / MIB} MiB`] = {
      ...row,
      ratio: `${(sealed - plain).toFixed(0)} MB more`,
      target: '≤ 16 MB more',
      cpu: '',
    }
  }
  const start = LARGE / 2 + 12_345
  await compare('range of 1 KiB', '≥ 0.77 (time ≤ 1.3)', (bucket) =>
    job('GET', at(bucket, 'large'), {
      headers: { ...headers, range: `bytes=${start}-${start + 1023}` },
      connections: 1,
    }),
  )
}
