import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { KMS_KEY_NAME } from '../../../contract/names.ts'
import { malformedHeader } from '../../base/invalid.ts'
import type { WantedEncryption } from '../../encryption/sealing.ts'

const HEADER = 'x-encryption'
const isName = new RegExp(KMS_KEY_NAME)

/** How a request wants its contents to be encrypted (`x-encryption`); undefined: as the bucket says. Throws malformed. */
export function encryptionAsked({ [HEADER]: text }: IncomingHttpHeaders): WantedEncryption | undefined {
  if (text === undefined) return undefined
  if (text === 'AES256') return { kind: 'AES256' }
  const key = typeof text === 'string' && text.startsWith('aws:kms:') ? text.slice('aws:kms:'.length) : ''
  if (isName.test(key)) return { kind: 'aws:kms', key }
  throw malformedHeader(HEADER, 'must be AES256, or aws:kms: and the name of a key')
}

/** Has a response say how its object is encrypted, if it is. */
export function sayEncryption(reply: FastifyReply, { encryption }: { encryption: string | null }): void {
  if (encryption !== null) reply.header(HEADER, encryption.replace(' ', ':'))
}
