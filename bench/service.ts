import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { ServerProcess } from '../tests/support/process.ts'

/** The administrator of a service that is measured. */
export const WHO = { username: 'bench@example.com', password: 'password of the benchmarks' }

/** The service as the image runs it: what strips types from the sources takes some 20 MB. `buildService` makes it. */
export const COMPILED = path.join(import.meta.dirname, '../dist/server/main.js')
export const buildService = () =>
  void execFileSync(process.execPath, [path.join(import.meta.dirname, '../scripts/package.ts')], { stdio: 'inherit' })

/** The young generation that `npm start`, the unit file and the image give V8. */
const YOUNG = { NODE_OPTIONS: '--max-semi-space-size=4' }
/** What the unit file and the image set to keep memory low (docs/images.md). */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
  ...YOUNG,
}

/** The environment of a service that is measured, with its data in a folder, and by default its database too. */
export const serviceEnv = (folder: string, databaseUrl = `sqlite:${folder}/strongroom.db`) => ({
  SECRET_KEY: 'the secret key of the benchmarks, long enough',
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl,
  PORT: '0',
  LOG_LEVEL: 'warn',
  ...YOUNG,
  BOOTSTRAP_ADMIN_EMAIL: WHO.username,
  BOOTSTRAP_ADMIN_PASSWORD: WHO.password,
})

/** By how many MB the resident memory of a service grows at its peak during some work, and the seconds that takes. */
export async function growthDuring(
  service: ServerProcess,
  work: () => Promise<unknown>,
): Promise<{ mb: number; seconds: number }> {
  // Sets the peak back.
  fs.writeFileSync(`/proc/${service.child.pid}/clear_refs`, '5')
  const before = service.memory().rss
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  return { mb: (service.memory().peak - before) / 1e6, seconds }
}
