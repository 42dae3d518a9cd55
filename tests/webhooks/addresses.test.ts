import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { isNeverAllowed, mayConnect, parseRange } from '../../server/base/address.ts'

const none = { allowed: [], denied: [] }
const allowing = (...ranges: string[]) => ({ allowed: ranges.map(parseRange), denied: [] })

/** A.4: from the first to the last address of each. */
const blocked = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.192',
  '192.0.0.255',
  '192.0.2.0',
  '192.0.2.255',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.0',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::a9fe:a9fe',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:168.63.129.16',
  '::ffff:0:127.0.0.1',
  '::ffff:0:8.8.8.8',
  '64:ff9b::1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:2::1',
  '2001:db8::1',
  '2002::1',
  '2002:7f00:1::',
  '3fff::1',
  '4000::1',
  '5f00::1',
  '6000::1',
  '8000::1',
  'a000::1',
  'c000::1',
  'e000::1',
  'f000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff00::1',
  'ff02::1',
  '',
  'localhost',
  'example.com',
  '1.2.3.4.5',
  '999.1.1.1',
  ':::',
]
const open = ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8', '9.255.255.255', '11.0.0.0', '172.32.0.0']

it('blocks every special address and lets public ones through', () => {
  for (const one of blocked) assert.equal(mayConnect(one, none), false, one)
  for (const one of open) assert.equal(mayConnect(one, none), true, one)
})

it('some addresses cannot be allowed by any configuration', () => {
  const everything = allowing('0.0.0.0/0', '::/0')
  for (const one of ['10.0.0.1', '127.0.0.1', '::1', 'fc00::1', '::ffff:127.0.0.1', '100.64.0.1'])
    assert.equal(mayConnect(one, everything), true, one)
  for (const one of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'ff02::1',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '::ffff:0:169.254.169.254',
    'nonsense',
  ]) {
    assert.equal(mayConnect(one, everything), false, one)
    assert.equal(isNeverAllowed(one), true, one)
  }
  assert.equal(isNeverAllowed('::1'), false)
})

it('allows what is listed, in either spelling, and refuses what is denied', () => {
  const rules = { allowed: [parseRange('10.20.0.0/16'), parseRange('fd12::/32')], denied: [parseRange('8.8.8.0/24')] }
  for (const one of ['10.20.0.1', '::ffff:10.20.0.1', '10.20.255.255', 'fd12::7', '8.8.4.4'])
    assert.equal(mayConnect(one, rules), true, one)
  for (const one of ['10.21.0.1', 'fd13::7', '8.8.8.8', '::ffff:8.8.8.8'])
    assert.equal(mayConnect(one, rules), false, one)
  for (const bad of ['10.0.0.0/33', 'x', '10.0.0.0/', '/8']) assert.throws(() => parseRange(bad), /not an address/, bad)
})

/** The public parts of both address spaces, from IANA's registries, independent of ipaddr.js. */
const special4: [number, number, number, number, number][] = [
  [0, 0, 0, 0, 8],
  [10, 0, 0, 0, 8],
  [100, 64, 0, 0, 10],
  [127, 0, 0, 0, 8],
  [169, 254, 0, 0, 16],
  [172, 16, 0, 0, 12],
  [192, 0, 0, 0, 24],
  [192, 0, 2, 0, 24],
  [192, 31, 196, 0, 24],
  [192, 52, 193, 0, 24],
  [192, 88, 99, 0, 24],
  [192, 168, 0, 0, 16],
  [192, 175, 48, 0, 24],
  [198, 18, 0, 0, 15],
  [198, 51, 100, 0, 24],
  [203, 0, 113, 0, 24],
  [224, 0, 0, 0, 4],
  [240, 0, 0, 0, 4],
  [168, 63, 129, 16, 32],
] as never
const number4 = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]) => ((a * 256 + b) * 256 + c) * 256 + d
const isPublic4 = (bytes: readonly number[]) =>
  !special4.some(([a, b, c, d, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(number4(bytes) / size) === Math.floor(number4([a, b, c, d]) / size)
  })
const bits16 = (bytes: readonly number[], at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
function isPublic6(bytes: readonly number[]): boolean {
  if (bytes.slice(0, 10).every((one) => one === 0) && bits16(bytes, 10) === 0xffff) return isPublic4(bytes.slice(12))
  if ((bytes[0] ?? 0) >> 5 !== 1) return false
  const [first, second] = [bits16(bytes, 0), bits16(bytes, 2)]
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false
  if (first === 0x2002 || (first === 0x3fff && second < 0x1000)) return false
  return !(first === 0x2620 && second === 0x4f && bits16(bytes, 4) === 0x8000)
}
const text6 = (bytes: readonly number[]) =>
  Array.from({ length: 8 }, (_, i) => bits16(bytes, i * 2).toString(16)).join(':')
const byte = fc.integer({ min: 0, max: 255 })

it('agrees with a table written independently, for any address', () => {
  const four = fc.oneof(
    fc.tuple(byte, byte, byte, byte),
    fc.tuple(fc.constantFrom(10, 100, 127, 168, 169, 172, 192, 198, 203), byte, byte, byte),
  )
  fc.assert(
    fc.property(four, (bytes) => assert.equal(mayConnect(bytes.join('.'), none), isPublic4(bytes), bytes.join('.'))),
    { numRuns: 5000 },
  )
  const tail = fc.array(byte, { minLength: 14, maxLength: 14 })
  const six = fc.oneof(
    fc.tuple(fc.tuple(byte, byte), tail),
    fc.tuple(fc.constantFrom([0x20, 0x01], [0x20, 0x02], [0x26, 0x06], [0x3f, 0xff], [0x64, 0xff]), tail),
    fc.tuple(
      fc.constant([0, 0]),
      fc.tuple(byte, byte, byte, byte).map((end) => [...Array(8).fill(0), 255, 255, ...end]),
    ),
  )
  fc.assert(
    fc.property(six, ([head, rest]) => {
      const bytes = [...head, ...rest]
      assert.equal(mayConnect(text6(bytes), none), isPublic6(bytes), text6(bytes))
    }),
    { numRuns: 5000 },
  )
})
