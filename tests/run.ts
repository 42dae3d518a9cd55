// npm test [files, folders, options of `node --test`]
// e.g. npm test -- tests/api/buckets.test.ts --test-name-pattern="quota"
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Gateway, noGateway, startCeph } from './support/ceph.ts'
import { findChromium } from './support/chromium.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'

process.chdir(path.dirname(import.meta.dirname))
const given = process.argv.slice(2)
// What exists on disk or is a TypeScript file is a file to run; all else is meant for `node --test`.
const isFile = (word: string) => !word.startsWith('-') && (/\.ts$/.test(word) || fs.existsSync(word))
const files = given.filter(isFile).map((file) => (isFolder(file) ? `${file.replace(/\/+$/, '')}/**/*.test.ts` : file))
const options = given.filter((word) => !isFile(word))

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`The tests need Node 24, this is ${process.version}: use "npm test", which runs the one npm installed.`)
  process.exit(1)
}

const chromium = findChromium()
if (!chromium)
  console.log(
    'Skipped: the tests in a browser, for there is no Chromium (apt-get install chromium, or set CHROMIUM_PATH).',
  )

let ceph: Gateway | undefined
if (process.env.TEST_S3_URL) {
  console.log('S3: the engine of TEST_S3_URL.')
} else {
  ceph = await startCeph()
  if (ceph) console.log(`S3: Ceph started for this run, ${new URL(ceph.url).searchParams.get('endpoint')}.`)
  else if (process.env.TEST_STORAGE === 's3') throw new Error(noGateway)
  else console.log(`Skipped: the tests on S3. ${noGateway[0]?.toUpperCase()}${noGateway.slice(1)}.`)
}

let postgres: Postgres | undefined
if (process.env.TEST_POSTGRES_URL) {
  console.log('PostgreSQL: the server of TEST_POSTGRES_URL.')
} else {
  postgres = await startPostgres()
  console.log(`PostgreSQL: started for this run on port ${new URL(postgres.url).port}.`)
}

const tests = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=2',
    // For each test, not for a file. Milliseconds.
    '--test-timeout=120000',
    ...options,
    ...(files.length > 0 ? files : ['tests/**/*.test.ts']),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_POSTGRES_URL: process.env.TEST_POSTGRES_URL || postgres?.url,
      ...(ceph && {
        TEST_S3_URL: ceph.url,
        TEST_S3_ACCESS_KEY: ceph.credentials.accessKeyId,
        TEST_S3_SECRET_KEY: ceph.credentials.secretAccessKey,
      }),
      CHROMIUM_PATH: chromium,
      // File system work and bcrypt share libuv's threads; the default of 4 makes tests wait for each other.
      UV_THREADPOOL_SIZE: '16',
    },
  },
)

// On Ctrl-C the terminal tells the tests as well; a signal sent to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal))

tests.on('exit', async (code, signal) => {
  await postgres?.stop()
  await ceph?.stop()
  process.exit(signal ? 128 + os.constants.signals[signal] : (code ?? 1))
})

function isFolder(file: string): boolean {
  return fs.existsSync(file) && fs.statSync(file).isDirectory()
}
