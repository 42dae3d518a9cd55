/**
 * MD5 (RFC 1321) in plain JavaScript: `crypto.subtle` has no MD5, and does not exist on plain HTTP. It compares files,
 * as ETags do, and protects nothing.
 */
const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const K = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

class Md5 {
  readonly #state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  readonly #rest = new Uint8Array(64)
  readonly #words = new Int32Array(16)
  #restLength = 0
  #bytes = 0

  update(data: Uint8Array): this {
    this.#bytes += data.length
    let at = 0
    if (this.#restLength > 0) {
      at = Math.min(64 - this.#restLength, data.length)
      this.#rest.set(data.subarray(0, at), this.#restLength)
      this.#restLength += at
      if (this.#restLength < 64) return this
      this.#block(this.#rest, 0)
      this.#restLength = 0
    }
    for (; at + 64 <= data.length; at += 64) this.#block(data, at)
    this.#rest.set(data.subarray(at))
    this.#restLength = data.length - at
    return this
  }

  digest(): string {
    const bytes = this.#bytes
    const padding = new Uint8Array((this.#restLength < 56 ? 64 : 128) - this.#restLength)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, (bytes * 8) >>> 0, true)
    view.setUint32(padding.length - 4, Math.floor(bytes / 2 ** 29), true)
    this.update(padding)
    const out = new DataView(new ArrayBuffer(16))
    for (let i = 0; i < 4; i++) out.setInt32(i * 4, this.#state[i] as number, true)
    return Array.from(new Uint8Array(out.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }

  #block(data: Uint8Array, from: number): void {
    const words = this.#words
    for (let i = 0, at = from; i < 16; i++, at += 4)
      words[i] =
        (data[at] as number) |
        ((data[at + 1] as number) << 8) |
        ((data[at + 2] as number) << 16) |
        ((data[at + 3] as number) << 24)
    const state = this.#state
    let a = state[0] as number
    let b = state[1] as number
    let c = state[2] as number
    let d = state[3] as number
    for (let i = 0; i < 64; i++) {
      let f: number
      let g: number
      if (i < 16) {
        f = (b & c) | (~b & d)
        g = i
      } else if (i < 32) {
        f = (d & b) | (~d & c)
        g = (5 * i + 1) & 15
      } else if (i < 48) {
        f = b ^ c ^ d
        g = (3 * i + 5) & 15
      } else {
        f = c ^ (b | ~d)
        g = (7 * i) & 15
      }
      const sum = (a + f + (K[i] as number) + (words[g] as number)) | 0
      const shift = SHIFTS[((i >> 4) << 2) | (i & 3)] as number
      a = d
      d = c
      c = b
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
    }
    state[0] = ((state[0] as number) + a) | 0
    state[1] = ((state[1] as number) + b) | 0
    state[2] = ((state[2] as number) + c) | 0
    state[3] = ((state[3] as number) + d) | 0
  }
}

const STEP = 1024 * 1024
/** The MD5 of a part of a file, read 1 MB at a time so that the page stays responsive. */
export async function md5Of(blob: Blob): Promise<string> {
  const hash = new Md5()
  for (let at = 0; at < blob.size; at += STEP)
    hash.update(new Uint8Array(await blob.slice(at, at + STEP).arrayBuffer()))
  return hash.digest()
}

const HEAD_BYTES = 64 * 1024
/** Distinguishes files of the same name, size and time: the MD5 of the first 64 KiB. */
export const fingerprint = (file: Blob): Promise<string> => md5Of(file.slice(0, HEAD_BYTES))

/** The ETag that an object with these contents has, sent whole or in parts of this size. */
export async function etagOf(blob: Blob, partSize: number | undefined): Promise<string> {
  if (partSize === undefined) return md5Of(blob)
  const sums: Uint8Array<ArrayBuffer>[] = []
  for (let at = 0; at < blob.size; at += partSize) {
    const hex = await md5Of(blob.slice(at, at + partSize))
    sums.push(Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16)))
  }
  return `${await md5Of(new Blob(sums))}-${sums.length}`
}
