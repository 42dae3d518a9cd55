import { createHash, type KeyObject } from 'node:crypto'
import { trimBlanks } from '../../../../base/blanks.ts'
import { takingTurns } from '../../../../base/turns.ts'
import { S3Error } from '../../errors.ts'
import { hashLatin1, textToSign } from './canonical.ts'
import { isSame, sign } from './verify.ts'

/** What the signatures of a body's chunks are made with. */
export interface ChunkSignatures {
  key: KeyObject
  date: string
  scope: string
  /** The request's own, the first of the chain. */
  seed: string
}

/** Trailers by lower-case name; filled while the body is read. */
export type Trailers = Map<string, string>

export interface Framing {
  signed: boolean
  trailer: boolean
  signatures: ChunkSignatures
  /** Bytes of the contents, if they were announced. */
  length: number | undefined
  trailers: Trailers
}

/** Pieces of fewer bytes than this are gathered up to so many: everything behind takes a turn for each, also for a byte. */
const SMALL = 1024
const GATHERED = 16_384
const MOST_LINE = 256
const MOST_TRAILERS = 4096
const SIGNATURE = /^[0-9a-f]{64}$/
const EMPTY = createHash('sha256').digest('hex')

const broken = (message = 'The request body terminated unexpectedly') => new S3Error('IncompleteBody', message)
const badTrailer = () =>
  new S3Error(
    'MalformedTrailerError',
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  )
const wrongChunk = () =>
  new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  )

/**
 * Unpacks an aws-chunked body: `<size in hex>[;chunk-signature=…]\r\n<bytes>\r\n`, up to a chunk of no bytes, then
 * trailers. Bytes are handed on as they come, without being copied but for tiny chunks; a chunk's signature is checked at
 * its end, so a reader must keep nothing unless the whole body was read.
 */
export async function* decodeChunks(body: AsyncIterable<Uint8Array>, framing: Framing): AsyncGenerator<Uint8Array> {
  const { signed, trailer, length, trailers } = framing
  const reader = new FrameReader(body)
  const chain = signed ? new Chain(framing.signatures) : undefined
  const small = new Gathered()
  const turn = takingTurns()
  let received = 0
  for (;;) {
    // Thousands of chunks can have arrived together.
    await turn()
    const { size, signature } = readHead(await reader.line(MOST_LINE), signed)
    received += size
    if (length !== undefined && received > length) throw broken('The body is longer than x-amz-decoded-content-length.')
    for await (const piece of reader.bytes(size)) {
      chain?.update(piece)
      if (small.takes(piece)) continue
      yield* small.rest()
      if (!small.takes(piece)) yield piece
    }
    chain?.check(signature)
    if (size === 0) break
    if ((await reader.line(2)) !== '') throw broken('A chunk is not followed by a line break.')
  }
  yield* small.rest()
  if (length !== undefined && received !== length) throw broken()
  if (trailer) await readTrailers(reader, chain, trailers)
  else if ((await reader.line(2)) !== '') throw broken('The last chunk is not followed by a line break.')
  if (!(await reader.ended())) throw broken('The body continues after its last chunk.')
}

/** Small pieces that are handed on together. */
class Gathered {
  #bytes: Uint8Array | undefined
  #used = 0
  /** Copies a piece if it is small and there is room for it. */
  takes(piece: Uint8Array): boolean {
    if (piece.length >= SMALL || this.#used + piece.length > GATHERED) return false
    this.#bytes ??= new Uint8Array(GATHERED)
    this.#bytes.set(piece, this.#used)
    this.#used += piece.length
    return true
  }
  /** What was gathered, once. */
  rest(): Uint8Array[] {
    const found = this.#bytes?.subarray(0, this.#used)
    this.#bytes = undefined
    this.#used = 0
    return found ? [found] : []
  }
}

function readHead(line: string, signed: boolean): { size: number; signature: string } {
  const [, size = '', signature = ''] = /^([0-9a-fA-F]{1,13})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? []
  if (size === '' || (signed && signature === '')) throw broken('A chunk does not start with its size.')
  return { size: Number.parseInt(size, 16), signature }
}

/**
 * Trailers end with an empty line; one of a signed body is the signature of those before it. Like AWS, this reads what
 * minio-go sends: each trailer ends with `\n`, and an empty line more follows them, before the signature or at the end.
 * What is signed is the same for every way to write it: `name:value\n` of each.
 */
async function readTrailers(reader: FrameReader, chain: Chain | undefined, trailers: Trailers): Promise<void> {
  let text = ''
  let signature: string | undefined
  let isParted = false
  for (let room = MOST_TRAILERS; ; ) {
    const line = await reader.line(room, { bare: true })
    if (line === '') {
      if (!chain || signature !== undefined) break
      // An empty line may part the trailers from their signature, once.
      if (isParted || text === '') throw badTrailer()
      isParted = true
      continue
    }
    room -= line.length
    const at = line.indexOf(':')
    const name = trimBlanks(line.slice(0, at)).toLowerCase()
    const value = trimBlanks(line.slice(at + 1))
    if (chain && name === 'x-amz-trailer-signature' && signature === undefined) {
      signature = value
      continue
    }
    if (chain && (signature !== undefined || isParted))
      throw broken('The trailers are not followed by their signature.')
    if (at < 1 || room < 0 || trailers.has(name) || name === 'x-amz-trailer-signature') throw badTrailer()
    trailers.set(name, value)
    text += `${name}:${value}\n`
  }
  if (chain) chain.checkTrailer(text, signature ?? '')
  else if (text !== '') await reader.skipLineBreak()
}

/** The chain of signatures: each covers the one before it. */
class Chain {
  readonly #with: ChunkSignatures
  #previous: string
  #hash = createHash('sha256')
  constructor(signatures: ChunkSignatures) {
    this.#with = signatures
    this.#previous = signatures.seed
  }
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }
  /** Throws SignatureDoesNotMatch unless it is the signature of the bytes since the last one. */
  check(signature: string): void {
    this.#compare('AWS4-HMAC-SHA256-PAYLOAD', signature, EMPTY, this.#hash.digest('hex'))
    this.#hash = createHash('sha256')
  }
  checkTrailer(text: string, signature: string): void {
    if (!SIGNATURE.test(signature)) throw broken('The trailers are not followed by their signature.')
    this.#compare('AWS4-HMAC-SHA256-TRAILER', signature, hashLatin1(text))
  }
  #compare(algorithm: string, signature: string, ...hashes: readonly string[]): void {
    const { key, date, scope } = this.#with
    const expected = sign(key, textToSign(algorithm, date, scope, this.#previous, ...hashes))
    if (!isSame(signature, expected)) throw wrongChunk()
    this.#previous = expected
  }
}

/** Reads lines and counted bytes from a stream's chunks. */
class FrameReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)
  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }
  async #more(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return false
      this.#rest = next.value
    }
    return true
  }
  async ended(): Promise<boolean> {
    return !(await this.#more())
  }
  /** Passes over a `\r\n` that is all that is left; throws IncompleteBody if it is anything else. */
  async skipLineBreak(): Promise<void> {
    if (!(await this.ended()) && (await this.line(0)) !== '') throw broken('The body continues after its trailers.')
  }
  /** The next line without its `\r\n`, or `\n` where that is enough, at most so many bytes; throws IncompleteBody. */
  async line(most: number, { bare = false } = {}): Promise<string> {
    let line = ''
    for (;;) {
      if (!(await this.#more())) throw broken()
      const end = this.#rest.indexOf(0x0a)
      const piece = this.#rest.subarray(0, end < 0 ? this.#rest.length : end + 1)
      line += Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1')
      if (line.length > most + 2) throw broken('A line of the body is too long.')
      this.#rest = this.#rest.subarray(piece.length)
      if (line.endsWith('\r\n')) return line.slice(0, -2)
      if (bare && end >= 0) return line.slice(0, -1)
      if (end >= 0) throw broken('A line of the body does not end with CR LF.')
    }
  }
  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (!(await this.#more())) throw broken()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
}
