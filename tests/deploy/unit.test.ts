// deploy/strongroom.service: systemd accepts it, and its sandbox stays as tight as it is.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { findProgram } from '../support/programs.ts'

const root = path.join(import.meta.dirname, '../..')
const analyze = findProgram('systemd-analyze')
const skip = analyze ? false : 'systemd-analyze is not installed (apt-get install systemd)'

describe('the systemd unit', () => {
  const source = fs.readFileSync(path.join(root, 'deploy/strongroom.service'), 'utf8')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-unit-'))
  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  /** What systemd-analyze says of the unit, whose paths are those of this checkout. */
  const run = (text: string, ...args: string[]) => {
    const file = path.join(folder, 'strongroom.service')
    fs.writeFileSync(
      file,
      text.replaceAll('/opt/strongroom', root).replaceAll(`${root}/node_modules/.bin/node`, process.execPath),
    )
    const { status, stdout, stderr } = spawnSync(analyze as string, [...args, file], { encoding: 'utf8' })
    return { status, said: stdout + stderr }
  }

  it('is understood by systemd, line by line', { skip }, () => {
    // It exits with 0 after a warning, too.
    assert.deepEqual(run(source, 'verify'), { status: 0, said: '' })
    const installed = source.replace(/^ExecStart=.*\n/m, '').replace(/^#ExecStart=/m, 'ExecStart=')
    assert.match(installed, /^ExecStart=\S+\/\.bin\/node .*dist\/server\/main\.js serve$/m)
    assert.deepEqual(run(installed, 'verify'), { status: 0, said: '' })
    const wrong = run(source.replace('ProtectClock=yes', 'ProtectClocks=yes'), 'verify')
    assert.match(wrong.said, /ProtectClocks/)
  })

  it('has a sandbox that leaves little exposed', { skip }, () => {
    const { said } = run(source, 'security', '--offline=yes', '--no-pager')
    const exposure = Number(/Overall exposure level for strongroom\.service: ([\d.]+)/.exec(said)?.[1])
    assert.ok(exposure <= 1.5, said)
  })
})
