import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { groupFiles } from './support/groups.ts'

const RUN = path.join(import.meta.dirname, 'run.ts')

describe('npm test -- --retry-failed', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-retry-'))
  after(() => fs.rmSync(folder, { recursive: true, force: true }))
  /** A test file that fails this many times, by an assertion or with its process, and then passes. */
  function file(name: string, failures: number, how = 'throw new Error("by chance")'): string {
    const written = path.join(folder, `${name}.test.ts`)
    const count = JSON.stringify(path.join(folder, `${name}.count`))
    fs.writeFileSync(
      written,
      `import fs from 'node:fs'
      import { it } from 'node:test'
      it('${name}', () => {
        fs.appendFileSync(${count}, 'x')
        if (fs.readFileSync(${count}, 'utf8').length <= ${failures}) ${how}
      })`,
    )
    return written
  }
  function run(...words: string[]) {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, [RUN, ...words], {
      // No test of these asks them anything.
      env: { ...env, TEST_POSTGRES_URL: 'postgres://unused', TEST_S3_URL: 's3://unused' },
      encoding: 'utf8',
    })
    return { status, flaky: stdout.split('\nFlaky')[1] ?? '', stdout }
  }

  it('passes, and names the file, when what failed passes on its own', () => {
    const { status, flaky, stdout } = run(
      '--retry-failed',
      file('once', 1),
      file('died', 1, 'process.exit(1)'),
      file('never', 0),
    )
    assert.equal(status, 0, stdout)
    assert.match(flaky, /once\.test\.ts/)
    assert.match(flaky, /died\.test\.ts/)
    assert.doesNotMatch(flaky, /never\.test\.ts/)
    assert.match(stdout, /by chance/)
  })

  it('fails when it fails again, or was not asked to try again', () => {
    const twice = run('--retry-failed', file('twice', 2), file('beside', 1))
    assert.equal(twice.status, 1)
    assert.match(twice.flaky, /beside\.test\.ts/)
    assert.doesNotMatch(twice.flaky, /twice\.test\.ts/)
    assert.deepEqual([run(file('strict', 1)).status, run(file('good', 0)).status], [1, 0])
  })

  it('names the files that failed in a process that several share, or the one that imports them if it died', () => {
    const reporter = path.join(import.meta.dirname, 'support/failed-files.ts')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const failed = (...of: string[]) => {
      const [group = '', ...others] = groupFiles(of, fs.mkdtempSync(path.join(folder, 'group-')))
      assert.deepEqual(others, [])
      const { stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, group], {
        env,
        encoding: 'utf8',
      })
      return {
        names: stdout
          .trim()
          .split('\n')
          .map((name) => path.resolve(name)),
        group,
      }
    }
    const bad = file('bad', 9)
    assert.deepEqual(failed(file('fine', 0), bad, file('fine too', 0)).names, [bad])
    const died = failed(file('well', 0), file('dies', 9, 'process.exit(1)'))
    assert.deepEqual(died.names, [died.group])
    const both = failed(
      file('bad first', 9),
      file('then dies', 9, 'setTimeout(() => process.kill(process.pid, 9), 500)'),
    )
    assert.ok(both.names.includes(both.group))
  })
})
