// deploy/prometheus-rules.yaml and the dashboard, with Prometheus' own tool where it is installed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { findProgram } from '../support/programs.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(path.join(root, 'deploy', file), 'utf8')
const promtool = findProgram('promtool')
const skip = promtool ? false : 'promtool is not installed (apt-get install prometheus)'

describe('alerts and dashboard', () => {
  const run = (...args: string[]) => spawnSync(promtool as string, args, { encoding: 'utf8', cwd: root })

  it('the rules are valid, and fire when they should', { skip }, () => {
    const check = run('check', 'rules', '--lint=all', '--lint-fatal', 'deploy/prometheus-rules.yaml')
    assert.equal(check.status, 0, check.stderr)
    const test = run('test', 'rules', 'tests/deploy/prometheus-rules.test.yaml')
    assert.equal(test.status, 0, test.stdout + test.stderr)
  })

  it('each alert has a name, a severity and a summary, and those that the inhibition names exist', () => {
    const [{ rules }] = parse(read('prometheus-rules.yaml')).groups
    const names: string[] = rules.map(({ alert }: { alert: string }) => alert)
    assert.equal(new Set(names).size, names.length)
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^Strongroom[A-Z]/)
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert)
      assert.ok(annotations.summary.length > 20, alert)
    }
    const comment = read('prometheus-rules.yaml')
      .replace(/^[^#].*$/gm, '')
      .replace(/^#( {3})?/gm, '')
    const { inhibit_rules: inhibitions } = parse(comment.slice(comment.indexOf('inhibit_rules')))
    const matchers: string[] = inhibitions.flatMap((one: { source_matchers: string[]; target_matchers: string[] }) => [
      ...one.source_matchers,
      ...one.target_matchers,
    ])
    const named = matchers.flatMap((one) => /\((.*)\)/.exec(one)?.[1]?.split('|') ?? [])
    assert.ok(named.length > 10)
    for (const name of named) assert.ok(names.includes(`Strongroom${name}`), name)
  })

  it('each panel of the dashboard has a query and a place', () => {
    const { panels } = JSON.parse(read('grafana-dashboard.json'))
    for (const { type, title, gridPos, targets = [] } of panels) {
      assert.ok(title && gridPos.w > 0, title)
      if (type !== 'row') assert.ok(targets.length > 0 && targets.every((one: { expr: string }) => one.expr), title)
    }
  })
})
