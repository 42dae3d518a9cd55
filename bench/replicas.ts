import fs from 'node:fs'
import path from 'node:path'
import { createClient } from '../client/derived.ts'
import { createDatabase, startPostgres } from '../tests/support/postgres.ts'
import { spawnServer } from '../tests/support/process.ts'
import { type Job, median, type Outcome, run } from './load.ts'
import { serviceEnv, WHO } from './service.ts'

interface Row {
  name: string
  one: string
  two: string
  /** Median of the rounds' ratios, two to one. */
  ratio: number
}

/**
 * Small uploads and downloads through two replicas, over PostgreSQL and a folder of files, beside the same connections to
 * one of them; and through `--workers 2`.
 */
export async function measureReplicas(seconds: number, rounds: number, connections: number): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
  const postgres = await startPostgres()
  const env = serviceEnv(folder, (await createDatabase(postgres.url)).url)
  const services = [await spawnServer(env), await spawnServer(env)]
  const several = await spawnServer(env, ['serve', '--workers', '2'])
  try {
    const url = services[0]?.url ?? ''
    const { access_token: token } = await createClient({ baseUrl: url }).login({ body: WHO })
    const client = createClient({ baseUrl: url, token })
    await client.createBucket({ body: { name: 'bench', trash_days: 0 } })
    await client.putObject({ params: { bucket: 'bench', key: 'small' }, body: Buffer.alloc(4096, 'strongroom ') })
    const job = (at: string, method: string, key: string, body: number, share: number): Job => ({
      method,
      body,
      seconds,
      connections: connections / share,
      url: `${at}/api/v1/buckets/bench/objects/${key}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    })
    const rows: Row[] = []
    for (const [what, method, key, body] of [
      ['4 KiB download', 'GET', 'small', 0],
      ['4 KiB upload', 'PUT', 'u/#', 4096],
    ] as const) {
      const seen: { one: number; two: number; workers: number }[] = []
      for (let i = 0; i < rounds; i++) {
        const one = await run(job(url, method, key, body, 1))
        const two = await Promise.all(services.map((service) => run(job(service.url, method, key, body, 2))))
        const workers = await run(job(several.url, method, key, body, 1))
        seen.push({ one: one.perSecond, two: sum(two), workers: workers.perSecond })
      }
      const show = (side: 'one' | 'two' | 'workers') => `${Math.round(median(seen.map((round) => round[side])))}/s`
      const ratio = (side: 'two' | 'workers') => median(seen.map((round) => round[side] / round.one))
      rows.push(
        { name: `replicas: ${what}, two`, one: show('one'), two: show('two'), ratio: ratio('two') },
        { name: `replicas: ${what}, --workers 2`, one: show('one'), two: show('workers'), ratio: ratio('workers') },
      )
    }
    return rows
  } finally {
    for (const service of [...services, several]) await service.kill('SIGTERM')
    await postgres.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const sum = (outcomes: readonly Outcome[]): number => outcomes.reduce((all, { perSecond }) => all + perSecond, 0)
