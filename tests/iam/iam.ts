import { IAMClient } from '@aws-sdk/client-iam'
import type { Pair } from '../s3/s3.ts'
import type { TestServer } from '../support/server.ts'

/** AWS' client of the IAM API, on the S3 port. */
export const iamClientOf = (server: TestServer, { access_key_id, secret_access_key }: Pair): IAMClient =>
  new IAMClient({
    endpoint: server.running.s3Url ?? '',
    region: 'us-east-1',
    maxAttempts: 1,
    systemClockOffset: server.clock.now().getTime() - Date.now(),
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  })
