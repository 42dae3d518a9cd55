import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyLogin,
  PasskeyRegistration,
  PasskeyRequest,
} from '../../contract/passkeys.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()

/** CBOR (RFC 8949) of what WebAuthn needs: small numbers, short texts, bytes and maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, one]) => [cbor(key), cbor(one as string)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** What a test changes about a signature. */
export interface Tampering {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  counter?: number
  /** Flags of the authenticator data: 1 present, 4 verified. */
  flags?: number
}

/** A passkey in software: it makes a key pair for a site and signs challenges with it. */
export class Authenticator {
  readonly #origin: string
  readonly #id = randomBytes(16)
  readonly #private: KeyObject
  readonly #cose: Buffer
  /** How many signatures it made; 0 for ever with `counts: false`. */
  counter = 0
  readonly #counts: boolean
  readonly #discoverable: boolean
  /** Whose it is, as the site has said. */
  #user = ''

  constructor(origin: string, { counts = true, discoverable = true } = {}) {
    this.#origin = origin
    this.#counts = counts
    this.#discoverable = discoverable
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#private = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const coordinates = [x, y].map((one) => Buffer.from(one, 'base64url'))
    this.#cose = cbor(
      new Map<number, unknown>([
        ...([[1, 2] as const, [3, -7] as const, [-1, 1] as const] as [number, number][]),
        [-2, coordinates[0]],
        [-3, coordinates[1]],
      ]),
    )
  }

  #data(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  #client(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  /** Answers `navigator.credentials.create`. */
  create({ challenge, rp, user }: PasskeyCreation, tampering: Tampering = {}): PasskeyRegistration {
    this.#user = user.id
    const { type = 'webauthn.create', origin = this.#origin, rpId = rp.id } = tampering
    const client = this.#client(type, tampering.challenge ?? challenge, origin)
    const length = Buffer.from([0, this.#id.length])
    const data = Buffer.concat([
      this.#data(rpId, (tampering.flags ?? 5) | 0x40, 0),
      Buffer.alloc(16),
      length,
      this.#id,
      this.#cose,
    ])
    const attestation = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ]),
    )
    const id = this.#id.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: client.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
      clientExtensionResults: { credProps: { rk: this.#discoverable } },
    }
  }

  /** Answers `navigator.credentials.get` where no passkey is named: it also says whose it is. */
  find(options: PasskeyRequest, { userHandle = this.#user, ...tampering }: Tampering & { userHandle?: string } = {}) {
    const { response, ...signed } = this.get(options, tampering)
    return { ...signed, response: { ...response, userHandle } } satisfies PasskeyLogin
  }

  /** Answers `navigator.credentials.get`. */
  get({ challenge, rpId: site }: PasskeyRequest, tampering: Tampering = {}): PasskeyAssertion {
    const { type = 'webauthn.get', origin = this.#origin, rpId = site } = tampering
    if (this.#counts && tampering.counter === undefined) this.counter++
    const client = this.#client(type, tampering.challenge ?? challenge, origin)
    const data = this.#data(rpId, tampering.flags ?? 5, tampering.counter ?? this.counter)
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(client)]))
      .sign(this.#private)
    const id = this.#id.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    }
  }
}
