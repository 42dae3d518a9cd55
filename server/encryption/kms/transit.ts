import { randomBytes } from 'node:crypto'
import { type EncryptionContext, type KeyService, refused, TIMEOUT_MS, unreachable } from './key-service.ts'

export interface TransitKey {
  name: string
  endpoint: string
  /** Where the secrets engine is mounted. */
  mount: string
  key_id: string
  token: string
}

/**
 * A key of the Transit secrets engine of HashiCorp Vault and OpenBao
 * (https://developer.hashicorp.com/vault/api-docs/secret/transit). What a key is bound to is its associated data.
 */
export function transitKey({ name, endpoint, mount, key_id, token }: TransitKey): KeyService {
  async function ask(what: 'encrypt' | 'decrypt', body: object): Promise<{ plaintext?: string; ciphertext?: string }> {
    const base = endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint
    const url = `${base}/v1/${mount}/${what}/${encodeURIComponent(key_id)}`
    let answer: Response
    let data: { data?: object; errors?: string[] }
    try {
      answer = await fetch(url, {
        method: 'POST',
        headers: { 'x-vault-token': token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      data = (await answer.json()) as typeof data
    } catch (error) {
      throw unreachable(name, error)
    }
    // 503: it is sealed; 429 and 473: it is a standby.
    if (answer.status >= 429) throw unreachable(name, new Error(`It answers ${answer.status}`))
    if (!answer.ok) throw refused(name, `it answers ${answer.status} ${data.errors?.join(', ') ?? ''}`.trim())
    return data.data ?? {}
  }
  const bound = (context: EncryptionContext) =>
    Object.keys(context).length === 0 ? {} : { associated_data: textOf(context) }
  return {
    async newKey(context) {
      const key = randomBytes(32)
      const { ciphertext } = await ask('encrypt', { plaintext: key.toString('base64'), ...bound(context) })
      if (!ciphertext) throw refused(name, 'it returned no key')
      return { key, sealed: ciphertext }
    },
    async open(sealed, context) {
      const { plaintext } = await ask('decrypt', { ciphertext: sealed, ...bound(context) })
      const key = Buffer.from(plaintext ?? '', 'base64')
      if (key.length !== 32) throw refused(name, 'it returned no key')
      return key
    },
    close: () => undefined,
  }
}

/** What a key is bound to, as one text in base64: the same for the same, in whatever order. */
const textOf = (context: EncryptionContext): string =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1)))).toString('base64')
