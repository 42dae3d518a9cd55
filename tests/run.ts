// npm test [files, folders, options of `node --test`]
// e.g. npm test -- tests/buckets/api.test.ts --test-name-pattern="quota"
// --retry-failed: reruns each failed file once, on its own; if it passes, so does the run, which lists it under "Flaky".
// --with-s3: what stores and reads bytes is tested once more on PostgreSQL and S3, behind two services.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { noGateway, startCeph } from './support/ceph.ts'
import { findChromium } from './support/chromium.ts'
import { noFirefox } from './support/firefox.ts'
import { FEWER, groupFiles, STORING } from './support/groups.ts'
import { joinLibraries } from './support/libraries.ts'
import { migrateOnce } from './support/migrated.ts'
import { startPostgres } from './support/postgres.ts'
import { spawnServer } from './support/process.ts'

process.chdir(path.dirname(import.meta.dirname))
const given = process.argv.slice(2)
// Existing paths and names ending in .ts are files to run; everything else is an option of `node --test`.
const isFile = (word: string) => !word.startsWith('-') && (/\.ts$/.test(word) || fs.existsSync(word))
const files = given.filter(isFile).map((file) => (isFolder(file) ? `${file.replace(/\/+$/, '')}/**/*.test.ts` : file))
const RETRY = '--retry-failed'
const WITH_S3 = '--with-s3'
const options = given.filter((word) => !isFile(word) && word !== RETRY && word !== WITH_S3)

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `The tests need Node 24, this is ${process.version}: use "npm test", which runs the one that npm installed.`,
  )
  process.exit(1)
}

if (!findChromium())
  console.log('Skipped: browser tests, Chromium not found (apt-get install chromium, or set CHROMIUM_PATH).')
if (noFirefox) console.log(`Skipped: Firefox tests. ${noFirefox}.`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-run-'))
// Some services of the tests run as another user, who reads what is in there.
fs.chmodSync(folder, 0o755)
const compiled = path.join(folder, 'compiled')
/** What is prepared for these takes as long as it saves in five files. */
const isLong = files.length === 0 || files.length > 5
// Starting them is mostly waiting.
const [ceph, postgres, libraries] = await Promise.all([
  process.env.TEST_S3_URL ? undefined : startCeph(),
  process.env.TEST_POSTGRES_URL ? undefined : startPostgres(),
  isLong ? joinLibraries(path.join(folder, 'libraries')) : undefined,
])

if (process.env.TEST_S3_URL) {
  console.log('S3: using TEST_S3_URL.')
} else {
  if (ceph) console.log(`S3: started Ceph for this run at ${new URL(ceph.url).searchParams.get('endpoint')}.`)
  else if (process.env.TEST_STORAGE === 's3' || given.includes(WITH_S3)) throw new Error(noGateway)
  else console.log(`Skipped: S3 tests. ${noGateway[0]?.toUpperCase()}${noGateway.slice(1)}.`)
}

if (postgres) console.log(`PostgreSQL: started for this run on port ${new URL(postgres.url).port}.`)
else console.log('PostgreSQL: using TEST_POSTGRES_URL.')
const postgresUrl = postgres?.url ?? (process.env.TEST_POSTGRES_URL as string)
const migrated = isLong ? await migrateOnce(folder, postgresUrl) : undefined
const quickly = [
  // Asking for the real path of each of its modules takes a tenth of a process's start.
  '--preserve-symlinks',
  // Megabytes: with the usual 16, collecting what is young takes a twentieth of a run.
  '--max-semi-space-size=32',
  `--import=${import.meta.resolve('./support/untracked.ts')}`,
  libraries && `--import=${libraries}`,
]
const nodeOptions = [process.env.NODE_OPTIONS, ...quickly].filter(Boolean).join(' ')
// Compiling our modules and their imports is half of the start-up time of a test file or a service.
const compiling = { NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: nodeOptions }
if (isLong) await startOnce()
let runs = 0
let tests: ChildProcess | undefined
/** How some test files are run. */
interface Manner {
  atOnce: number
  /** What they find in their environment besides. */
  env?: NodeJS.ProcessEnv
}
/** Runs test files; returns the exit code. */
async function run(these: readonly string[], { atOnce, env = {} }: Manner): Promise<number> {
  tests = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./tests/support/failures.ts',
      `--test-reporter-destination=${path.join(folder, `failed-${++runs}`)}`,
      '--test-reporter=./tests/support/failed-files.ts',
      `--test-reporter-destination=${path.join(folder, `files-${runs}`)}`,
      `--test-concurrency=${atOnce}`,
      // Milliseconds per test, not per file: a test that takes this long hangs, even on a slow machine.
      '--test-timeout=300000',
      ...options,
      ...these,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TEST_POSTGRES_URL: postgresUrl,
        ...migrated?.env,
        ...(ceph && {
          TEST_S3_URL: ceph.url,
          TEST_S3_ACCESS_KEY: ceph.credentials.accessKeyId,
          TEST_S3_SECRET_KEY: ceph.credentials.secretAccessKey,
        }),
        ...compiling,
        // File system work and bcrypt share libuv's threads; the default of 4 makes tests wait for each other.
        UV_THREADPOOL_SIZE: '16',
        ...env,
      },
    },
  )
  const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal ? 128 + os.constants.signals[signal] : (code ?? 1)
}

// On Ctrl-C the terminal signals the tests as well; a signal sent only to this process is forwarded.
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopped = true
    tests?.kill(signal)
  })

/** More failed files than this are not a coincidence. */
const MOST_RETRIES = 8
const flaky: string[] = []
const told: string[] = []
/** Runs test files like `run` and, with --retry-failed, reruns those that failed; returns the exit code. */
async function runAndRetry(these: readonly string[], manner: Manner): Promise<number> {
  const code = await run(these, manner)
  if (code === 0) return 0
  const written = (name: string) => fs.readFileSync(path.join(folder, `${name}-${runs}`), 'utf8')
  told.push(written('failed'))
  const retried = written('files').split('\n').filter(Boolean)
  if (!given.includes(RETRY) || stopped || retried.length === 0 || retried.length > MOST_RETRIES) return code
  console.log(`\nRerunning separately: ${retried.join(', ')}`)
  let worst = 0
  for (const file of retried) {
    const again = await run([file], { ...manner, atOnce: 1 })
    if (again === 0) flaky.push(file)
    worst = Math.max(worst, again)
  }
  return worst
}

const inGroups = (these: readonly string[], most?: number) =>
  groupFiles(these, path.join(folder, `groups-${runs}`), most)
/** Some wait for PostgreSQL or for a lease of a minute: three keep two cores busy. */
const AT_ONCE = 3
/** A page is idle most of the time. */
const PAGES_AT_ONCE = 4
let failed = 0
if (files.length > 0) failed = await runAndRetry(isLong ? inGroups(fs.globSync(files)) : files, { atOnce: AT_ONCE })
else {
  const all = fs.globSync('tests/**/*.test.ts')
  const inBrowser = (file: string) => file.startsWith(path.join('tests', 'e2e'))
  failed = await runAndRetry(inGroups(all.filter((file) => !inBrowser(file))), { atOnce: AT_ONCE })
  if (given.includes(WITH_S3) && !stopped) {
    console.log('\nOnce more, on PostgreSQL and S3:')
    const manner = { atOnce: AT_ONCE, env: { TEST_STORAGE: 's3' } }
    failed = Math.max(failed, await runAndRetry(inGroups(STORING, FEWER), manner))
  }
  if (!stopped)
    failed = Math.max(failed, await runAndRetry(inGroups(all.filter(inBrowser), FEWER), { atOnce: PAGES_AT_ONCE }))
}
await migrated?.drop()
await postgres?.stop()
await ceph?.stop()
// Failures of the first of two runs have scrolled far up by now.
if (told.length > 0 && (files.length === 0 || flaky.length > 0)) console.log(`\nFailed:\n\n${told.join('')}`)
if (flaky.length > 0) console.log(`\nFlaky (passed when rerun separately):\n  ${flaky.join('\n  ')}`)
fs.rmSync(folder, { recursive: true, force: true })
process.exit(failed)

/**
 * Starts a service and ends it. Of a file Node keeps what the first process that ends by itself has compiled of it: here that is
 * what a start needs, not what some command does.
 */
async function startOnce(): Promise<void> {
  const env = {
    ...compiling,
    SECRET_KEY: 'the secret key of the first start of all',
    DATA_DIR: path.join(folder, 'first'),
  }
  const { kill } = await spawnServer({ ...env, PORT: '0', S3_PORT: '0', LOG_LEVEL: 'error' })
  await kill('SIGTERM')
}

function isFolder(file: string): boolean {
  return fs.existsSync(file) && fs.statSync(file).isDirectory()
}
