import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../client/derived.ts'
import { type Idp, startIdp } from '../tests/support/idp.ts'
import { bareEnv, spawnServer } from '../tests/support/process.ts'
import { findPrograms } from '../tests/support/programs.ts'
import { ALLOCATOR, buildService, COMPILED, serviceEnv, WHO } from './service.ts'

/**
 * The way of a pod: programs that have the file of a token and the name of a role, and nothing else, work with credentials that
 * expire after 15 minutes, while these are renewed, with the actual clock. The token is a real provider's, valid for 10 minutes
 * and replaced every 5, as kubelet does. Programs retry nothing; none of their requests may fail.
 * `node bench/pods.ts [--minutes N] [--pause ms] [--seconds N] [--built]`; `--seconds`: how long credentials are valid, to try it
 * with less than the 900 that a role may have.
 */
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    pause: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '900' },
    built: { type: 'boolean', default: false },
  },
})
const MINUTE_MS = 60_000
const AUDIENCE = 'sts.amazonaws.com'
const BUCKET = 'pods'
/** One whose boto3 takes the endpoint of STS from the environment. */
const HAS_BOTO3 = 'import boto3, botocore; assert tuple(map(int, botocore.__version__.split(".")[:2])) >= (1, 31)'

if (!options.built) buildService()
const folder = fs.mkdtempSync(path.join(process.cwd(), 'bench-data-'))
const cluster = await startIdp([])
const env = { ...serviceEnv(folder), ...ALLOCATOR, S3_PORT: '0', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
const service = await spawnServer(env, ['serve'], COMPILED)
try {
  await measure()
} finally {
  await service.kill('SIGTERM')
  await cluster.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Writes a new token over the old one, in one step. */
async function renewToken(idp: Idp, file: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: idp.issuer, aud: AUDIENCE, sub: 'system:serviceaccount:default:app', iat: now, exp: now + 600 }
  fs.writeFileSync(`${file}.new`, await idp.sign(claims))
  fs.renameSync(`${file}.new`, file)
}

async function measure(): Promise<void> {
  const { access_token: token } = await createClient({ baseUrl: service.url }).login({ body: WHO })
  const client = createClient({ baseUrl: service.url, token })
  await client.createBucket({ body: { name: BUCKET, trash_days: 0 } })
  const provider = await client.createOidcProvider({ body: { issuer: cluster.issuer, audiences: [AUDIENCE] } })
  const Version = '2012-10-17'
  const trust = { Effect: 'Allow', Principal: { Federated: provider.arn }, Action: 'sts:AssumeRoleWithWebIdentity' }
  const allow = { Effect: 'Allow', Action: 's3:*', Resource: `arn:aws:s3:::${BUCKET}*` }
  const role = await client.createRole({
    body: { name: 'Pod', trust: JSON.stringify({ Version, Statement: trust }), max_session_seconds: 900 },
  })
  if (options.seconds !== '900') shorten(path.join(folder, 'strongroom.db'), Number(options.seconds))
  const params = { kind: 'role', owner: 'Pod', name: 'own' } as const
  await client.putInlinePolicy({ params, body: { document: JSON.stringify({ Version, Statement: allow }) } })

  const file = path.join(folder, 'token')
  await renewToken(cluster, file)
  const renewal = setInterval(() => void renewToken(cluster, file), 5 * MINUTE_MS)
  const endpoint = /S3 clients.*: (http:\S+)/.exec(service.log())?.[1] ?? ''
  const script = (name: string) => path.join(import.meta.dirname, name)
  const start = (program: string, scripts: readonly string[] = []) =>
    spawn(program, [...scripts, BUCKET, options.pause], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...bareEnv,
        AWS_ENDPOINT_URL: endpoint,
        // The SDK for Go asks AWS for the session without it.
        AWS_ENDPOINT_URL_STS: endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ROLE_ARN: role.arn,
        AWS_WEB_IDENTITY_TOKEN_FILE: file,
      },
    })
  const python = findPrograms('python3').find((one) => spawnSync(one, ['-c', HAS_BOTO3]).status === 0)
  const compiled = compileGo(path.join(folder, 'pod-go'))
  const pods: Record<string, ChildProcess> = {
    JavaScript: start(process.execPath, [script('pod.ts')]),
    ...(python === undefined ? {} : { boto3: start(python, [script('pod.py')]) }),
    ...(compiled === undefined ? {} : { Go: start(compiled) }),
  }
  await sleep(Number(options.minutes) * MINUTE_MS)
  clearInterval(renewal)
  for (const [name, pod] of Object.entries(pods)) {
    const exit = once(pod, 'exit')
    pod.stdin?.end()
    const said = pod.stdout ? await text(pod.stdout) : ''
    await exit
    const { requests, failures, sessions } = JSON.parse(said) as Outcome
    console.log(
      `${name}: ${requests} requests in ${options.minutes} min, ${sessions} sessions, ${failures.length} failed`,
    )
    for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`)
  }
}

/** The compiled program in Go; undefined where there is no Go, or its modules cannot be had. */
function compileGo(file: string): string | undefined {
  const go = findPrograms('go')[0] ?? ['/usr/local/go/bin/go'].find((one) => fs.existsSync(one))
  if (go === undefined) return undefined
  const cwd = path.join(import.meta.dirname, 'pod-go')
  const { status, stderr } = spawnSync(go, ['build', '-o', file, '.'], { cwd, encoding: 'utf8' })
  if (status === 0) return file
  console.log(`Go: not compiled: ${stderr.trim().split('\n')[0] ?? ''}`)
  return undefined
}

/** Lets sessions of all roles end sooner than the API allows. */
function shorten(file: string, seconds: number): void {
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.prepare('update roles set max_session_seconds = ?').run(seconds)
  database.close()
}

/** What a program prints. */
interface Outcome {
  requests: number
  failures: string[]
  sessions: number
}
