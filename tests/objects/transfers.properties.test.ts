import assert from 'node:assert/strict'
import path from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import yauzl from 'yauzl'
import { byteLength, isKeyText } from '../../contract/names.ts'
import { entryName } from '../../server/storage/objects/archive/archive.ts'
import { destination } from '../../server/storage/objects/transfers/bulk.ts'

const letter = fc.constantFrom('a', 'b', '/', '/', '.', '\\', ':', ' ', 'ä', '漢', '😀', '\u0001', '_', '(', '2', ')')
const text = (minLength: number, maxLength: number) =>
  fc.array(letter, { minLength, maxLength }).map((all) => all.join(''))
const key = text(1, 12)

it('a key without source_prefix keeps its last segment, with the slash of a folder marker', () => {
  fc.assert(
    fc.property(key, text(0, 6), (source, prefix) => {
      const dest = destination(source, prefix, undefined) ?? assert.fail('every key has a last segment')
      assert.ok(dest.startsWith(prefix))
      const last = dest.slice(prefix.length)
      assert.ok(last !== '' && source.endsWith(last))
      assert.ok(!last.slice(0, -1).includes('/'), 'it is one segment')
      const before = source.slice(0, -last.length)
      assert.ok(before === '' || before.endsWith('/'), 'it is a whole segment')
    }),
    {
      numRuns: 3000,
      examples: [
        ['/', ''],
        ['/', 'x/'],
        ['//', ''],
        ['a/', ''],
        ['a//', 'x'],
      ],
    },
  )
})

it('a key with source_prefix keeps what follows it, and goes nowhere when it is not under it', () => {
  fc.assert(
    fc.property(key, text(0, 6), text(0, 4), (source, dest, prefix) => {
      const rest = source.startsWith(prefix) ? source.slice(prefix.length) : null
      const expected = rest === null || dest + rest === '' ? null : dest + rest
      assert.equal(destination(source, dest, prefix), expected)
      assert.equal(destination(prefix + source, dest, prefix), dest + source)
    }),
    { numRuns: 3000 },
  )
})

it('a new key is never longer than a key may be, counted in bytes', () => {
  const unit = fc.constantFrom('a', 'ä', '漢', '😀')
  fc.assert(
    fc.property(unit, unit, fc.integer({ min: 1000, max: 1030 }), (a, b, bytes) => {
      const name = b.repeat(3)
      const prefix = `${a.repeat(Math.floor(bytes / byteLength(a)))}/`
      const dest = destination(`x/${name}`, prefix, undefined)
      assert.equal(dest, isKeyText(prefix + name, 1) ? prefix + name : null)
      assert.equal(dest !== null, byteLength(prefix + name) <= 1024)
    }),
  )
  assert.equal(destination('k'.repeat(1024), '', ''), 'k'.repeat(1024))
  assert.equal(destination('k'.repeat(1024), '/', ''), null)
  assert.equal(destination('p/', '', 'p/'), null, 'no key is empty')
})

it('an entry of an archive unpacks below the folder it is unpacked in, on every system', () => {
  fc.assert(
    fc.property(fc.array(text(0, 10), { minLength: 1, maxLength: 12 }), (keys) => {
      const taken: Parameters<typeof entryName>[1] = new Set()
      const names = keys.map((one) => entryName(one, taken))
      assert.equal(new Set(names).size, names.length, 'none twice')
      for (const name of names) {
        for (const segment of name.split('/')) assert.ok(!/^\.*$/.test(segment), `"${segment}" in "${name}"`)
        assert.ok(!name.includes('\\'))
        for (const system of [path.posix, path.win32]) {
          assert.ok(!system.isAbsolute(name))
          const root = system === path.posix ? '/root' : 'C:\\root'
          assert.ok(system.resolve(root, name).startsWith(root + system.sep), name)
        }
        assert.equal(yauzl.validateFileName(name), null)
      }
    }),
    { numRuns: 3000 },
  )
})

it('what can be unpacked as it is keeps its name', () => {
  const segment = fc
    .array(letter, { minLength: 1, maxLength: 6 })
    .map((all) => all.join(''))
    .filter((one) => !/[/\\:]|^\.+$/.test(one))
  const tame = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'))
  fc.assert(fc.property(tame, (one) => assert.equal(entryName(one, new Set()), one)))
})

it('no entry of an archive is a folder that another entry lies in', () => {
  fc.assert(
    fc.property(fc.array(text(1, 8), { minLength: 1, maxLength: 12 }), (keys) => {
      const taken: Parameters<typeof entryName>[1] = new Set()
      const names = keys.map((one) => entryName(one, taken))
      for (const name of names)
        assert.ok(!names.some((other) => other.startsWith(`${name}/`)), `"${name}" of ${JSON.stringify(names)}`)
    }),
    { numRuns: 2000, examples: [[['a', 'a/b']], [['a/b', 'a']], [['a/', 'a/b']], [['a', 'a (2)', 'a/b', 'a/c']]] },
  )
})
