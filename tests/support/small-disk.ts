import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'

/** A folder of a few MiB; undefined, and the test skipped, if it cannot be mounted: that needs root, and more. */
export function mountSmallDisk(t: TestContext, mebibytes: number): string | undefined {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    fs.rmdirSync(folder)
    t.skip(`cannot mount a tmpfs here (needs root): ${(error as Error).message.trim()}`)
    return undefined
  }
  t.after(() => {
    execFileSync('umount', ['-l', folder])
    fs.rmdirSync(folder)
  })
  return folder
}
