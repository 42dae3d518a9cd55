import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError } from '../../client/derived.ts'
import { openPair } from './pair.ts'
import { openSession, type Session, say } from './session.ts'

const MEBIBYTES = 160
const CHUNK = Buffer.alloc(64 * 1024, 1)

/** Rows and bytes on a file system that is full for a while: nothing acknowledged is lost, reads continue, then writes. */
export async function diskFull({ pair, faults, seed }: Session): Promise<string | undefined> {
  if (pair.postgres) return 'The disk is the engines’ here.'
  if (process.getuid?.() !== 0) return 'It mounts a small file system, for which one has to be root.'
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-faults-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    fs.rmdirSync(folder)
    return 'There is no right to mount a file system here.'
  }
  const small = await openPair(pair.name, { folder })
  if ('missing' in small) return small.missing
  const session = await openSession(small, seed, { workers: 4, rest: 80 })
  const { admin } = session
  try {
    await admin.createBucket({ body: { name: 'disk', trash_days: 0 } })
    const inDisk = (key: string) => ({ bucket: 'disk', key })
    await admin.putObject({ params: inDisk('before'), body: 'here' })
    for (let round = 0; round < 3; round++) {
      await pause(3000)
      session.tolerate(true)
      const ballast = fill(folder)
      const answers = new Map<string, number>()
      const until = Date.now() + 4000
      while (Date.now() < until) {
        const body = new Uint8Array(300_000)
        const answer = await admin.putObject({ params: inDisk(`r${round}`), body }).then(
          () => 'stored',
          (error: unknown) =>
            error instanceof ProblemError ? `${error.problem.status} ${error.problem.code}` : `no answer: ${error}`,
        )
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
        const read = await (await admin.getObject({ params: inDisk('before') })).text()
        faults.expect(read === 'here', () => 'with a full disk reads do not go on')
        await pause(100)
      }
      for (const answer of answers.keys())
        faults.expect(answer === '507 storage_full', () => `with a full disk an upload was answered: ${answer}`)
      say(`  disk full, round ${round + 1}: ${[...answers].map(([answer, n]) => `${n} × ${answer}`).join(', ')}`)
      fs.rmSync(ballast)
      const stored = await admin.putObject({ params: inDisk(`after${round}`), body: 'again' }).catch((error) => error)
      faults.expect(!(stored instanceof Error), () => `with space again an upload fails: ${stored}`)
      await pause(1000)
      session.tolerate(false)
    }
    for (let round = 0; round < 3; round++)
      await admin.deleteObject({ params: inDisk(`after${round}`), query: { permanent: true } })
    await session.check('disk-full', { last: true })
  } finally {
    faults.found.push(...session.faults.found)
    await session.end()
    await small.stop(session.faults.found.length > 0)
    execFileSync('umount', [folder])
    fs.rmdirSync(folder)
  }
  return undefined
}

/** Takes all the space there is. */
function fill(folder: string): string {
  const file = path.join(folder, 'ballast')
  const fd = fs.openSync(file, 'w')
  try {
    for (const chunk of [CHUNK, CHUNK.subarray(0, 512)])
      try {
        for (;;) fs.writeSync(fd, chunk)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
  } finally {
    fs.closeSync(fd)
  }
  return file
}
