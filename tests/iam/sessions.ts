// What tests of roles and temporary credentials share.
import { IAMClient } from '@aws-sdk/client-iam'
import { S3Client } from '@aws-sdk/client-s3'
import { type Credentials, STSClient } from '@aws-sdk/client-sts'
import type { Pair } from '../s3/s3.ts'
import type { Idp } from '../support/idp.ts'
import type { TestServer } from '../support/server.ts'

export const ALLOW_S3 = policy({ Effect: 'Allow', Action: 's3:*', Resource: '*' })

/** A policy of these statements. */
export function policy(...Statement: object[]): string {
  return JSON.stringify({ Version: '2012-10-17', Statement })
}

/** SDKs' clients of a service, at its time. */
export function sdkClients(server: TestServer) {
  const endpoint = server.running.s3Url ?? ''
  const common = () => ({
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    systemClockOffset: server.clock.now().getTime() - Date.now(),
  })
  const ofPair = ({ access_key_id, secret_access_key }: Pair) => ({
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
  })
  /** The credentials of a session; neither its secret nor its token may be found anywhere. */
  const ofSession = (
    { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' }: Credentials = {} as Credentials,
  ) => {
    server.secrets.add(SecretAccessKey).add(SessionToken)
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  }
  type Own = ReturnType<typeof ofPair> | ReturnType<typeof ofSession>
  return {
    ofPair,
    ofSession,
    iam: (credentials: Own) => new IAMClient({ ...common(), credentials }),
    sts: (credentials: Own) => new STSClient({ ...common(), credentials }),
    /** Of somebody without a credential here. */
    anonymousSts: () => new STSClient({ ...common(), credentials: { accessKeyId: '', secretAccessKey: '' } }),
    s3: (credentials: Own) => new S3Client({ ...common(), forcePathStyle: true, credentials }),
  }
}

/** How a call ended: `ok`, or the error's name and status. */
export const ended = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    ({ name, $metadata }: Error & { $metadata?: { httpStatusCode?: number } }) =>
      `${name} ${$metadata?.httpStatusCode}`,
  )

/** A token of an identity provider, valid for an hour of the service's time, with other claims where they are given. */
export function tokenOf(idp: Idp, server: TestServer, claims: object = {}, ...key: Parameters<Idp['sign']>[1][]) {
  const now = Math.floor(server.clock.now().getTime() / 1000)
  const usual = { iss: idp.issuer, aud: 'a-pod', sub: 'system:serviceaccount:default:app', iat: now, exp: now + 3600 }
  return idp.sign({ ...usual, ...claims }, ...key)
}
