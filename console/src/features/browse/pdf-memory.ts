/**
 * The bytes that all buffers of a thread may have together, from its start to its end. PDF.js keeps what it inflates in
 * buffers, and two kilobytes can say that they inflate to a gigabyte.
 */
export const MOST_BUFFERED = 256 * 1024 * 1024

let left = MOST_BUFFERED
const limited = {
  construct(made: new (...given: unknown[]) => ArrayBufferView | ArrayBuffer, given: unknown[], target: () => unknown) {
    const [size] = given
    const { BYTES_PER_ELEMENT = 1 } = made as { BYTES_PER_ELEMENT?: number }
    // What views or copies a buffer takes its length from it.
    if (typeof size === 'number') left -= size * BYTES_PER_ELEMENT
    if (left < 0) throw new RangeError(`More than ${MOST_BUFFERED} bytes.`)
    return Reflect.construct(made, given, target)
  },
}
for (const name of [
  'ArrayBuffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
] as const)
  Object.assign(globalThis, { [name]: new Proxy(globalThis[name], limited as never) })
