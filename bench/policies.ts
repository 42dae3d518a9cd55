import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createClient } from '../client/derived.ts'
import { spawnServer } from '../tests/support/process.ts'
import { type Job, type Measured, median, runMeasured } from './load.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * What a policy costs: 4 KiB GETs over S3 from a bucket whose policy has 20 statements, each with a pattern and an address in its
 * conditions, and from one without, in turns. `node bench/policies.ts [--seconds N] [--rounds N] [--built]`
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
    built: { type: 'boolean', default: false },
  },
})

if (!options.built) buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const service = await spawnServer({ ...serviceEnv(folder), ...ALLOCATOR, S3_PORT: '0' }, ['serve'], COMPILED)
try {
  await measure()
} finally {
  await service.kill('SIGTERM')
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Denies what nobody here does, so that every statement is looked at. */
function policyOf(bucket: string): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: Array.from({ length: 20 }, (_, i) => ({
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:GetObject*',
      Resource: `arn:aws:s3:::${bucket}/*`,
      Condition: { IpAddress: { 'aws:SourceIp': `203.0.${i}.0/24` }, StringLike: { 'aws:UserAgent': `agent-${i}*` } },
    })),
  })
}

async function measure(): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  const { access_key_id, secret_access_key } = await client.createAccessKey({ body: { name: 'bench' } })
  const s3 = new S3Client({
    endpoint: /S3 clients.*: (http:\S+)/.exec(service.log())?.[1] ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  })
  const jobOf = async (bucket: string): Promise<Job> => {
    await client.createBucket({ body: { name: bucket, trash_days: 0 } })
    await client.putObject({ params: { bucket, key: 'small' }, body: Buffer.alloc(4096, 'strongroom ') })
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'small' }), { expiresIn: 3600 })
    return { method: 'GET', url, headers: {}, body: 0, seconds: Number(options.seconds), connections: 16 }
  }
  const [plain, judged] = [await jobOf('plain'), await jobOf('judged')]
  await client.putBucketPolicy({ params: { bucket: 'judged' }, body: { document: policyOf('judged') } })
  const rounds: { plain: Measured; judged: Measured }[] = []
  for (let i = 0; i < Number(options.rounds); i++) {
    // Which one is first has no say.
    const [a, b] = i % 2 === 0 ? [plain, judged] : [judged, plain]
    const [first, second] = [await runMeasured(a, service.child.pid), await runMeasured(b, service.child.pid)]
    rounds.push(a === plain ? { plain: first, judged: second } : { plain: second, judged: first })
  }
  const of = (side: 'plain' | 'judged', what: 'perSecond' | 'cpuMs') => median(rounds.map((one) => one[side][what]))
  const ratio = (what: 'perSecond' | 'cpuMs') => median(rounds.map((one) => one.judged[what] / one.plain[what]))
  for (const side of ['plain', 'judged'] as const)
    console.log(`${side}: ${Math.round(of(side, 'perSecond'))}/s, CPU ${of(side, 'cpuMs').toFixed(3)} ms`)
  console.log(`with / without, in pairs: rate ${ratio('perSecond').toFixed(3)}, CPU ${ratio('cpuMs').toFixed(3)}`)
}
