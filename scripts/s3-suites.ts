// node scripts/s3-suites.ts FOLDER [--python PYTHON] [--postgres] [--ceph] [--only EXPRESSION | --encryption]
//   [--processes N] [--results FILE] [--beside FILE]
//
// Runs the whole of ceph/s3-tests, of which FOLDER is a clone, against a service of its own, and writes docs/s3-tests.md:
// the commit, how many tests passed, failed and were skipped, and for each that failed the reason in a word. PYTHON needs
// what the suite's requirements.txt lists. The service has SQLite and files; with --postgres PostgreSQL, with --ceph a bucket
// of Ceph. With --processes, pytest-xdist runs the tests in as many processes. --only takes an expression of `pytest -k`, and
// --encryption runs the tests about encryption: both print the outcome instead of writing the page. --results keeps pytest's
// JUnit report; that of --encryption on PostgreSQL and Ceph is what --beside takes, to be counted on the page as well.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { SaxesParser } from 'saxes'
import { type Client, createClient } from '../client/derived.ts'
import { bucketActions } from '../contract/names.ts'
import { canonicalId } from '../server/base/canonical-id.ts'
import { ACCOUNT_ID } from '../server/iam/principal.ts'
import { newBucket, noGateway, startCeph } from '../tests/support/ceph.ts'
import { type MotoKms, noMoto, startMoto } from '../tests/support/key-services.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { spawnServer } from '../tests/support/process.ts'
import { ADMIN, serverEnv } from '../tests/support/server.ts'
import { ENCRYPTION_KINDS, encryptionKind } from './s3-suites/encryption.ts'
import { startIdentityProvider } from './s3-suites/identity-provider.ts'
import { reasonFor } from './s3-suites/reasons.ts'

const PAGE = path.join(import.meta.dirname, '../docs/s3-tests.md')
/** What the suite configures of the service beyond its defaults. */
const SETTINGS = { S3_DEFAULT_OWNERSHIP: 'ObjectWriter', S3_LIFECYCLE_DAY_SECONDS: '10' }

/** Where the suite has its tests. */
const FOLDER = 's3tests/functional'
/** What the suite calls its keys. */
const KMS_KEYS = ['testkey-1', 'testkey-2'] as const

type Outcome = 'pass' | 'fail' | 'skip'
interface Result {
  /** `test_s3.py::test_bucket_list_many`. */
  id: string
  outcome: Outcome
  /** The last line of the failure. */
  message: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string', default: 'python3' },
    postgres: { type: 'boolean', default: false },
    ceph: { type: 'boolean', default: false },
    only: { type: 'string' },
    encryption: { type: 'boolean', default: false },
    processes: { type: 'string' },
    results: { type: 'string' },
    beside: { type: 'string' },
  },
})
const suite = positionals[0]
if (suite === undefined || !fs.existsSync(path.join(suite, 's3tests'))) {
  console.error('Usage: node scripts/s3-suites.ts <a clone of ceph/s3-tests> [options]; see the head of the script.')
  process.exit(2)
}
const git = (...args: string[]) => execFileSync('git', ['-C', suite, ...args], { encoding: 'utf8' }).trim()

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-s3-suites-'))
const postgres = values.postgres ? await startPostgres() : undefined
const ceph = values.ceph ? await startCeph() : undefined
if (values.ceph && !ceph) throw new Error(noGateway)
const server = await spawnServer({
  ...serverEnv(folder, postgres?.url),
  ...(ceph && {
    STORAGE_URL: newBucket(ceph),
    S3_ACCESS_KEY_ID: ceph.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: ceph.credentials.secretAccessKey,
  }),
  ...SETTINGS,
  // Where the tests have their identity provider.
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_SYSTEM_NAMES: 'localhost',
  S3_HOST: '127.0.0.1',
  S3_PORT: '0',
  LOG_LEVEL: 'info',
})
const kms = await startMoto()
const provider = await startIdentityProvider()
if (!kms) console.warn(`Tests of aws:kms will fail: ${noMoto}`)
try {
  const s3 = /(?:S3 clients, with an access key: |"s3_url":")(http:[^\s"]+)/.exec(server.log())?.[1]
  if (s3 === undefined) throw new Error(`The service does not say where its S3 endpoint is:\n${server.log()}`)
  const configuration = path.join(folder, 's3tests.conf')
  fs.writeFileSync(configuration, await configure(new URL(s3), kms))
  const report = path.resolve(values.results ?? path.join(folder, 'report.xml'))
  await runSuite(configuration, report, values.encryption ? await testsOfEncryption() : [FOLDER], values.processes)
  const results = readReport(fs.readFileSync(report, 'utf8'))
  // Some tests count what others make meanwhile: what failed is run again, one at a time.
  if (values.processes !== undefined) await rerun(configuration, results)
  if (values.only === undefined && !values.encryption) fs.writeFileSync(PAGE, page(results))
  else for (const { id, outcome, message } of results) console.log(outcome, id, outcome === 'fail' ? message : '')
  const counted = count(results)
  console.log(`${counted.pass} passed, ${counted.fail} failed, ${counted.skip} skipped`)
} finally {
  await server.kill('SIGTERM')
  await kms?.stop()
  provider.stop()
  await ceph?.stop()
  await postgres?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
}

/** Creates the suite's users and their keys; returns its configuration. */
async function configure(s3: URL, kms: MotoKms | undefined): Promise<string> {
  const anonymous = createClient({ baseUrl: server.url })
  const { access_token } = await anonymous.login({ body: { username: ADMIN.email, password: ADMIN.password } })
  const admin = createClient({ baseUrl: server.url, token: access_token })
  await admin.updateSettings({ body: { s3: { public_access: true } } })
  for (const name of kms ? KMS_KEYS : [])
    await admin.createKmsKey({
      body: {
        name,
        kind: 'aws',
        endpoint: kms?.url,
        key_id: await kms?.createKey(name).then(() => `alias/${name}`),
        access_key_id: kms?.credentials.accessKeyId,
        secret: kms?.credentials.secretAccessKey,
      } as Parameters<Client['createKmsKey']>[0]['body'],
    })
  const everything = await admin.createGroup({
    // Also `bypass_lock`: the suite removes its buckets with it.
    body: { name: 'Everything', grants: [{ bucket_pattern: '*', actions: [...bucketActions] }] },
  })
  const administrators = (await admin.listGroups({})).items.find(({ name }) => name === 'Administrators')
  const create = await admin.createGroup({
    body: { name: 'Create', grants: [{ bucket_pattern: '*', actions: ['create'] }] },
  })
  const sections = [
    ['s3 main', await userSection(admin, 'main', everything.id)],
    ['s3 alt', await userSection(admin, 'alt', create.id)],
    ['s3 tenant', { ...(await userSection(admin, 'tenant', create.id)), tenant: 'testx' }],
    ['iam', await userSection(admin, 'iam', administrators?.id ?? '')],
    // There is one account, whose number is its root's id.
    ['iam root', { ...(await userSection(admin, 'iam-root', administrators?.id ?? '')), user_id: ACCOUNT_ID }],
    ['webidentity', provider.section],
    ['iam alt root', { ...(await userSection(admin, 'iam-alt-root', administrators?.id ?? '')), user_id: ACCOUNT_ID }],
  ] as const
  return [
    '[DEFAULT]',
    `host = ${s3.hostname}`,
    `port = ${s3.port}`,
    'is_secure = False',
    'ssl_verify = False',
    '[fixtures]',
    'bucket prefix = suite-{random}-',
    ...sections.flatMap(([name, fields]) => [
      `[${name}]`,
      ...Object.entries(fields).map(([field, value]) => `${field} = ${value}`),
      ...(name === 's3 main'
        ? ['lc_debug_interval = 10', `kms_keyid = ${KMS_KEYS[0]}`, `kms_keyid2 = ${KMS_KEYS[1]}`]
        : []),
    ]),
    '',
  ].join('\n')
}

/** A new user in a group, with an access key, as a section of the suite's configuration. */
async function userSection(admin: Client, name: string, groupId: string): Promise<Record<string, string>> {
  const email = `${name}@example.com`
  const password = `the password of ${name}`
  const user = await admin.createUser({ body: { email, display_name: name, password, group_ids: [groupId] } })
  const { access_token } = await createClient({ baseUrl: server.url }).login({ body: { username: email, password } })
  const key = await createClient({ baseUrl: server.url, token: access_token }).createAccessKey({ body: { name } })
  return {
    display_name: name,
    user_id: canonicalId(user.id),
    email,
    access_key: key.access_key_id,
    secret_key: key.secret_access_key,
  }
}

/** Runs the tests that failed once more; changes their results. */
async function rerun(configuration: string, results: Result[]): Promise<void> {
  const failed = results.filter(({ outcome }) => outcome === 'fail')
  if (failed.length === 0) return
  const report = path.join(folder, 'again.xml')
  await runSuite(
    configuration,
    report,
    failed.map(({ id }) => `${FOLDER}/${id}`),
  )
  const again = new Map(readReport(fs.readFileSync(report, 'utf8')).map((result) => [result.id, result]))
  for (const result of failed) Object.assign(result, again.get(result.id))
}

/** The suite's tests about encryption, as pytest names them. */
async function testsOfEncryption(): Promise<string[]> {
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--collect-only', FOLDER]
  const env = { ...process.env, S3TEST_CONF: path.join(folder, 's3tests.conf') }
  const listed = execFileSync(values.python, args, { cwd: suite, env, encoding: 'utf8' })
  return listed.split('\n').filter((id) => encryptionKind(id) !== undefined)
}

async function runSuite(
  configuration: string,
  report: string,
  tests: readonly string[],
  processes?: string,
): Promise<void> {
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${report}`, '--tb=line']
  if (values.only !== undefined) args.push('-k', values.only)
  if (processes !== undefined) args.push('-n', processes)
  const child = spawn(values.python, [...args, ...tests], {
    cwd: suite,
    // What a service does not have is no passing fault: boto3 would ask five times.
    env: { ...process.env, AWS_MAX_ATTEMPTS: '1', S3TEST_CONF: configuration },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  // 1: tests failed.
  if (code !== 0 && code !== 1) throw new Error(`pytest ended with ${code}`)
}

/** The tests of a JUnit report, in order of their names. */
function readReport(xml: string): Result[] {
  const results: Result[] = []
  let current: Result | undefined
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    const { classname = '', name: test = '', message = '' } = attributes as Record<string, string>
    if (name === 'testcase') {
      current = { id: `${classname.split('.').at(-1)}.py::${test}`, outcome: 'pass', message: '' }
      results.push(current)
    } else if (current && (name === 'failure' || name === 'error' || name === 'skipped')) {
      current.outcome = name === 'skipped' ? 'skip' : 'fail'
      current.message ||= message.trim().split('\n').at(-1) ?? ''
    }
  })
  parser.write(xml).close()
  // A test that fails and whose clean-up fails, too, is reported twice.
  const byId = new Map<string, Result>()
  for (const result of results) if (byId.get(result.id)?.outcome !== 'fail') byId.set(result.id, result)
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function count(results: readonly Result[]): Record<Outcome, number> {
  const counted = { pass: 0, fail: 0, skip: 0 }
  for (const { outcome } of results) counted[outcome]++
  return counted
}

/** How many of the tests about encryption pass, here and, with --beside, on PostgreSQL and Ceph. */
function encryptionSection(results: readonly Result[]): string[] {
  const beside = values.beside === undefined ? [] : readReport(fs.readFileSync(values.beside, 'utf8'))
  const countIn = (all: readonly Result[], kind: string) => {
    const { pass, fail, skip } = count(all.filter(({ id }) => encryptionKind(id) === kind))
    return all.length === 0 ? 'not run' : `${pass} of ${pass + fail + skip}`
  }
  return [
    '## Encryption',
    '',
    'Tests that pass, of those about encryption, with [moto](https://docs.getmoto.org) as the key service, on PostgreSQL and Ceph in a run of',
    'their own (`--encryption`):',
    '',
    '| | SQLite and files | PostgreSQL and Ceph |',
    '|---|---|---|',
    ...ENCRYPTION_KINDS.map((kind) => `| ${kind} | ${countIn(results, kind)} | ${countIn(beside, kind)} |`),
    '',
  ]
}

/** docs/s3-tests.md. */
function page(results: readonly Result[]): string {
  const { pass, fail, skip } = count(results)
  const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => ({ id, ...reasonFor(id) }))
  const words = [...new Set(failed.map(({ word }) => word))].sort()
  const files = [...new Set(results.map(({ id }) => id.split('::')[0] ?? ''))]
  const settings = Object.entries(SETTINGS).map(([name, value]) => `\`${name}=${value}\``)
  return [
    '# The public S3 test suite',
    '',
    'Every test of [ceph/s3-tests](https://github.com/ceph/s3-tests), run against the S3 endpoint on',
    `${values.postgres ? 'PostgreSQL' : 'SQLite'} and ${values.ceph ? 'Ceph' : 'local files'}: none is left out, and each that fails has its reason. This page is written by`,
    '`node scripts/s3-suites.ts`, which is given a clone of the suite.',
    '',
    `Commit \`${git('rev-parse', '--short', 'HEAD')}\` of ${git('log', '-1', '--format=%cs')}, with the setting \`s3.public_access\` on and ${settings.join(' and ')}.`,
    '',
    `**${pass} pass, ${fail} fail, ${skip} are skipped** by the suite itself.`,
    '',
    '| File | pass | fail | skipped |',
    '|---|---|---|---|',
    ...files.map((file) => {
      const counted = count(results.filter(({ id }) => id.startsWith(`${file}::`)))
      return `| \`${file}\` | ${counted.pass} | ${counted.fail} | ${counted.skip} |`
    }),
    '',
    ...encryptionSection(results),
    '## What fails, and why',
    '',
    '*Not offered*: Strongroom does not have this. *Deliberate*: it has this and answers otherwise on purpose. *Suite*: the',
    'test cannot pass against any server, or only against the one it was written with. *To do*: it should pass and does not.',
    '',
    ...words.map((word) => `- ${word}: ${failed.filter((one) => one.word === word).length}`),
    '',
    '| Test | Reason | |',
    '|---|---|---|',
    ...failed.map(({ id, word, text }) => `| \`${id}\` | ${word} | ${text} |`),
    '',
  ].join('\n')
}
