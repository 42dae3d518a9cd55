import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '../..')
/** Node itself, which comes as a package of its own for each platform. */
const NODE = /^node_modules\/node-(bin|linux|darwin|win)-/
/** Of these, 1.6 MB are the client of the AWS KMS API, 0.6 MB compute CRC-32, and 0.3 MB write Parquet. */
const MOST_BYTES = 62_000_000

/** Bytes of the files of a package, without packages below it. */
function sizeOf(folder: string): number {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules')
  return entries.reduce((sum, entry) => {
    const file = path.join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(file) : entry.isFile() ? fs.statSync(file).size : 0)
  }, 0)
}

test('what is installed with the package takes at most 62 MB besides Node', (t) => {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  const sizes = Object.entries<{ dev?: boolean; devOptional?: boolean }>(packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional && !NODE.test(place))
    .map(([place]) => [path.join(root, place), place] as const)
    .filter(([folder]) => fs.existsSync(folder))
    .map(([folder, place]) => [sizeOf(folder), place] as const)
    .sort(([a], [b]) => b - a)
  const sum = sizes.reduce((total, [bytes]) => total + bytes, 0)
  t.diagnostic(`${(sum / 1e6).toFixed(1)} MB in ${sizes.length} packages`)
  assert.ok(sum <= MOST_BYTES, `${sum} bytes; the largest: ${JSON.stringify(sizes.slice(0, 10))}`)
})
