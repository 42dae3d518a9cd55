// CRC-64/NVME in WebAssembly, at twice the speed of what npm has. A CRC that looks up eight bytes at a time waits for each
// lookup before it can begin the next. This one walks through four stretches of memory at once, whose lookups do not wait
// for each other, and then puts the four CRCs together.

/** The reflected polynomial. */
export const CRC64NVME = 0x9a6c9329ac4bc9b5n

/** Stretches that are read at once, and bytes of each. */
const LANES = 4
const LANE = 4096
const STEP = LANES * LANE

/** Places in the memory: eight tables of 256 CRCs each for bytes, the same for what moves a CRC on by a lane, and input. */
const TABLE_BYTES = 256 * 8
const OF_BYTES = 0
const OF_LANE = 8 * TABLE_BYTES
const INPUT = 16 * TABLE_BYTES
const PAGE = 65_536
const PAGES = 2
const ROOM = PAGES * PAGE - INPUT

/** A linear map of CRCs, by what it makes of each bit, the lowest first. */
type BitMap = readonly bigint[]
const BITS: BitMap = Array.from({ length: 64 }, (_, bit) => 1n << BigInt(bit))

/** What eight zero bytes make of a CRC. */
function eightZeros(crc: bigint): bigint {
  for (let bit = 0; bit < 64; bit++) crc = (crc & 1n) === 0n ? crc >> 1n : (crc >> 1n) ^ CRC64NVME
  return crc
}

/** Fills eight tables: what a map makes of each value of each of a CRC's eight bytes, the lowest first. */
function fillTables(memory: WebAssembly.Memory, at: number, map: BitMap): void {
  const tables = new BigUint64Array(memory.buffer, at, 8 * 256)
  for (let place = 0; place < 8; place++)
    for (let value = 1; value < 256; value++) {
      const lowest = value & -value
      const rest = tables[256 * place + value - lowest] as bigint
      tables[256 * place + value] = rest ^ (map[8 * place + Math.log2(lowest)] as bigint)
    }
}

/** A number in LEB128, as WebAssembly writes sizes and offsets. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}
function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)]
}

// https://webassembly.github.io/spec/core/binary/instructions.html
const get = (local: number) => [0x20, ...unsigned(local)]
const set = (local: number) => [0x21, ...unsigned(local)]
const tee = (local: number) => [0x22, ...unsigned(local)]
const i32 = (value: number) => [0x41, ...signed(value)]
const i64 = (value: number) => [0x42, ...signed(value)]
const load64 = (offset: number) => [0x29, 3, ...unsigned(offset)]
const load8 = [0x2d, 0, 0]
const I32_ADD = 0x6a
const I32_SUB = 0x6b
const I32_AND = 0x71
const I32_XOR = 0x73
const I32_SHL = 0x74
const I64_XOR = 0x85
const I64_SHL = 0x86
const I64_SHR = 0x88
const WRAP = 0xa7
const END = 0x0b
/** Repeats code until a local that counts down is 0. */
// biome-ignore format: a line for each step
const repeat = (counter: number, code: readonly number[]) => [
  0x03, 0x40, ...code,
  ...get(counter), ...i32(1), I32_SUB, ...tee(counter), 0x0d, 0, END,
]

/** The XOR of what eight tables have for the bytes of a local. A place in a table is a byte times eight. */
// biome-ignore format: a line for each step
const lookUp = (local: number, tables: number): number[] =>
  Array.from({ length: 8 }, (_, place) => [
    ...get(local),
    ...(place === 0 ? [...i64(3), I64_SHL] : [...i64(8 * place - 3), I64_SHR]),
    WRAP, ...i32(255 * 8), I32_AND, ...load64(tables + TABLE_BYTES * place),
    ...(place === 0 ? [] : [I64_XOR]),
  ]).flat()

const [CRC, AT, COUNT] = [0, 1, 2]

/** (CRC, address, number of steps): the CRC after so many times all lanes. */
function stepsCode(): number[] {
  const lanes = Array.from({ length: LANES }, (_, i) => 3 + i)
  const [word, left] = [3 + LANES, 4 + LANES]
  // biome-ignore format: a line for each step
  const lanesCode = lanes.flatMap((lane, i) => [
    ...get(AT), ...load64(i * LANE), ...get(lane), I64_XOR, ...set(word),
    ...lookUp(word, OF_BYTES), ...set(lane),
  ])
  const [first = 0, ...others] = lanes
  // biome-ignore format: a line for each step
  return [
    // Locals: the lanes and a word of 64 bits, and a counter of 32.
    2, LANES + 1, 0x7e, 1, 0x7f,
    ...repeat(COUNT, [
      ...get(CRC), ...set(first),
      ...others.flatMap((lane) => [...i64(0), ...set(lane)]),
      ...i32(LANE / 8), ...set(left),
      ...repeat(left, [...lanesCode, ...get(AT), ...i32(8), I32_ADD, ...set(AT)]),
      ...get(first), ...set(CRC),
      ...others.flatMap((lane) => [...lookUp(CRC, OF_LANE), ...get(lane), I64_XOR, ...set(CRC)]),
      ...get(AT), ...i32(STEP - LANE), I32_ADD, ...set(AT),
    ]),
    ...get(CRC), END,
  ]
}

/** (CRC, address, number of words): the CRC after those words of eight bytes. */
function wordsCode(): number[] {
  const word = 3
  // biome-ignore format: a line for each step
  return [
    1, 1, 0x7e,
    ...repeat(COUNT, [
      ...get(AT), ...load64(0), ...get(CRC), I64_XOR, ...set(word),
      ...lookUp(word, OF_BYTES), ...set(CRC),
      ...get(AT), ...i32(8), I32_ADD, ...set(AT),
    ]),
    ...get(CRC), END,
  ]
}

/** (CRC, address, number of bytes): the CRC after those bytes, one at a time. */
function bytesCode(): number[] {
  const found = 3
  // biome-ignore format: a line for each step
  return [
    1, 1, 0x7e,
    ...repeat(COUNT, [
      ...get(CRC), WRAP, ...get(AT), ...load8, I32_XOR, ...i32(255), I32_AND, ...i32(3), I32_SHL,
      // What the last of eight bytes adds is what one byte makes.
      ...load64(OF_BYTES + 7 * TABLE_BYTES), ...set(found),
      ...get(CRC), ...i64(8), I64_SHR, ...get(found), I64_XOR, ...set(CRC),
      ...get(AT), ...i32(1), I32_ADD, ...set(AT),
    ]),
    ...get(CRC), END,
  ]
}

/** https://webassembly.github.io/spec/core/binary/modules.html */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const sized = (bytes: readonly number[]) => [...unsigned(bytes.length), ...bytes]
  const name = (text: string) => sized([...Buffer.from(text)])
  // biome-ignore format: a line for each section
  return new Uint8Array([
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    // All functions take an i64 and two i32, and return an i64.
    1, ...sized([1, 0x60, 3, 0x7e, 0x7f, 0x7f, 1, 0x7e]),
    3, ...sized([3, 0, 0, 0]),
    5, ...sized([1, 0, PAGES]),
    7,
      ...sized([4, ...name('memory'), 2, 0, ...['steps', 'words', 'bytes'].flatMap((one, i) => [...name(one), 0, i])]),
    10, ...sized([3, ...sized(stepsCode()), ...sized(wordsCode()), ...sized(bytesCode())]),
  ])
}

type Run = (crc: bigint, at: number, count: number) => bigint
interface Machine {
  input: Uint8Array
  steps: Run
  words: Run
  bytes: Run
}
let machine: Machine | undefined

/** The only one in a thread: it keeps nothing between calls. */
function theMachine(): Machine {
  if (machine) return machine
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()))
  const memory = exports.memory as WebAssembly.Memory
  const [steps, words, bytes] = [exports.steps as Run, exports.words as Run, exports.bytes as Run]
  fillTables(memory, OF_BYTES, BITS.map(eightZeros))
  // The memory is all zeros yet.
  fillTables(
    memory,
    OF_LANE,
    BITS.map((bit) => words(bit, INPUT, LANE / 8)),
  )
  machine = { input: new Uint8Array(memory.buffer, INPUT, ROOM), steps, words, bytes }
  return machine
}

/** A CRC-64/NVME of bytes that come one after another, as a `Digest`. */
export function createCrc64() {
  const { input, steps, words, bytes } = theMachine()
  let crc = -1n
  return {
    update(given: Uint8Array): void {
      for (let start = 0; start < given.length; start += ROOM) {
        const piece = given.subarray(start, start + ROOM)
        input.set(piece)
        let at = 0
        for (const [run, unit] of [
          [steps, STEP],
          [words, 8],
          [bytes, 1],
        ] as const) {
          const count = Math.floor((piece.length - at) / unit)
          if (count > 0) crc = run(crc, INPUT + at, count)
          at += count * unit
        }
      }
    },
    digest(): Buffer {
      const sum = Buffer.alloc(8)
      sum.writeBigUInt64BE(BigInt.asUintN(64, ~crc))
      return sum
    },
  }
}
