import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { CreateAliasCommand, CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms'

/** Why tests of the AWS KMS API are skipped. */
export const noMoto = 'no server of the AWS KMS API: pip install "moto[server]"'

const CREDENTIALS = { accessKeyId: 'tests', secretAccessKey: 'of-the-tests' }

/** A server of the AWS KMS API. */
export interface MotoKms {
  url: string
  credentials: typeof CREDENTIALS
  /** Makes a key; returns its id. */
  createKey(alias?: string): Promise<string>
  stop(): Promise<void>
}

/** Starts moto's server; undefined if that is not installed. */
export async function startMoto(): Promise<MotoKms | undefined> {
  try {
    execFileSync('python3', ['-c', 'import moto.server, flask, flask_cors'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const child: ChildProcess = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    const look = (chunk: Buffer) => {
      said += chunk
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
      if (found) resolve(found)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('exit', () => reject(new Error(`moto has ended:\n${said}`)))
  })
  const client = new KMSClient({ endpoint: url, region: 'us-east-1', credentials: CREDENTIALS })
  return {
    url,
    credentials: CREDENTIALS,
    async createKey(alias) {
      const { KeyMetadata } = await client.send(new CreateKeyCommand({}))
      const id = KeyMetadata?.KeyId ?? ''
      if (alias) await client.send(new CreateAliasCommand({ AliasName: `alias/${alias}`, TargetKeyId: id }))
      return id
    },
    async stop() {
      client.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** A server that answers as the Transit engine of Vault and OpenBao does, with one key called `strongroom`. */
export async function startTransit(token: string) {
  const key = randomBytes(32)
  let down = false
  const server = http.createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (down) return answer(503, { errors: ['Vault is sealed'] })
    if (request.headers['x-vault-token'] !== token) return answer(403, { errors: ['permission denied'] })
    const { plaintext = '', ciphertext = '', associated_data = '' } = (await json(request)) as Record<string, string>
    const bound = Buffer.from(associated_data, 'base64')
    if (request.url === '/v1/keys/encrypt/strongroom') {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound)
      const bytes = [nonce, cipher.update(Buffer.from(plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]
      return answer(200, { data: { ciphertext: `vault:v1:${Buffer.concat(bytes).toString('base64')}` } })
    }
    if (request.url === '/v1/keys/decrypt/strongroom') {
      const bytes = Buffer.from(ciphertext.split(':')[2] ?? '', 'base64')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(bound)
        decipher.setAuthTag(bytes.subarray(-16))
        const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
        return answer(200, { data: { plaintext: opened.toString('base64') } })
      } catch {
        return answer(400, { errors: ['cipher: message authentication failed'] })
      }
    }
    return answer(404, { errors: [] })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDown: (is: boolean) => {
      down = is
    },
    async stop() {
      server.close()
      await once(server, 'close')
    },
  }
}
