import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findFaults, notesOf } from '../../scripts/release.ts'

const root = path.join(import.meta.dirname, '../..')
const changelog =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n### Added\n\n- One\n\n## [1.2.2] - 2026-11-01\n'

test('a tag is released only if package.json and the changelog have its version', () => {
  assert.deepEqual(findFaults('v1.2.3', { version: '1.2.3', changelog }), [])
  assert.deepEqual(findFaults('v1.2.3', { version: '1.2.4', changelog }), ['package.json has version 1.2.4'])
  assert.deepEqual(findFaults('v1.2.4', { version: '1.2.4', changelog }), [
    'CHANGELOG.md has no heading "## [1.2.4] - " with a date',
  ])
  assert.deepEqual(findFaults('v1.2.2', { version: '1.2.2', changelog }), ['CHANGELOG.md says nothing about 1.2.2'])
  for (const tag of ['1.2.3', 'v1.2', 'vNext', 'v1.2.3; ls'])
    assert.deepEqual(findFaults(tag, { version: '1.2.3', changelog }), [`${tag} is not of the form v1.2.3`])
  assert.equal(notesOf('v1.2.3', changelog), '### Added\n\n- One')
  assert.equal(notesOf('v1.2.3', changelog.replace('2026-12-01', 'soon')), undefined)
})

test('the command fails on a version that was never released', async () => {
  const run = promisify(execFile)(process.execPath, [path.join(root, 'scripts/release.ts'), 'check', 'v0.0.1'])
  await assert.rejects(run, ({ code, stderr }) => code === 1 && /package\.json has version/.test(stderr))
})

test('the changelog has the form of Keep a Changelog', () => {
  const text = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
  assert.equal(headings[0], '[Unreleased]')
  for (const heading of headings.slice(1)) assert.match(heading, /^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/)
  const kinds = [...text.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind)
  for (const kind of kinds)
    assert.ok(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].includes(kind), kind)
})

test('workflows call commands of ours that exist, and no one else’s', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const files = fs.globSync('.github/workflows/*.yml', { cwd: root })
  assert.equal(files.length, 2)
  for (const file of files) {
    const text = fs.readFileSync(path.join(root, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
      assert.ok(scripts[name], `${file}: ${name}`)
    for (const [name] of text.matchAll(/scripts\/[\w-]+\.ts|\.ci\/run/g))
      assert.ok(fs.existsSync(path.join(root, name)), name)
    for (const [, action = ''] of text.matchAll(/uses: ([\w-]+)\//g)) assert.match(action, /^(actions|docker)$/, file)
    assert.doesNotMatch(text, /https?:/)
  }
})
