import { DecryptCommand, GenerateDataKeyCommand, KMSClient, KMSServiceException } from '@aws-sdk/client-kms'
import { type KeyService, refused, TIMEOUT_MS, unreachable } from './key-service.ts'

export interface AwsKey {
  name: string
  /** Null: AWS. */
  endpoint: string | null
  region: string | null
  key_id: string
  /** Null: the SDK's usual sources. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** A key of the AWS KMS API (https://docs.aws.amazon.com/kms/latest/APIReference/). */
export function awsKey({ name, endpoint, region, key_id: KeyId, credentials }: AwsKey): KeyService {
  const client = new KMSClient({
    ...(endpoint === null ? {} : { endpoint }),
    region: region ?? 'us-east-1',
    ...(credentials === null ? {} : { credentials }),
    maxAttempts: 2,
  })
  const ask = async <T>(work: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> => {
    try {
      return await work({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) })
    } catch (error) {
      const isAnswer = error instanceof KMSServiceException && (error.$metadata.httpStatusCode ?? 500) < 500
      const isOverload = error instanceof KMSServiceException && error.$metadata.httpStatusCode === 429
      throw isAnswer && !isOverload ? refused(name, error.name, error) : unreachable(name, error)
    }
  }
  return {
    async newKey(EncryptionContext) {
      const command = new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext })
      const { Plaintext, CiphertextBlob } = await ask((options) => client.send(command, options))
      if (!Plaintext || !CiphertextBlob) throw refused(name, 'it returned no key')
      return { key: Plaintext, sealed: Buffer.from(CiphertextBlob).toString('base64') }
    },
    async open(sealed, EncryptionContext) {
      const command = new DecryptCommand({ KeyId, CiphertextBlob: Buffer.from(sealed, 'base64'), EncryptionContext })
      const { Plaintext } = await ask((options) => client.send(command, options))
      if (!Plaintext) throw refused(name, 'it returned no key')
      return Plaintext
    },
    close: () => client.destroy(),
  }
}
