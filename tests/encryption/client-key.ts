import { createHash, randomBytes } from 'node:crypto'

/** A client's key, as the SDK sends it. */
export function newClientKey() {
  const key = randomBytes(32)
  return {
    SSECustomerAlgorithm: 'AES256',
    SSECustomerKey: key.toString('base64'),
    SSECustomerKeyMD5: createHash('md5').update(key).digest('base64'),
  }
}
export type ClientKey = ReturnType<typeof newClientKey>

/** The same as the key of a copy's source. */
export const asSource = ({ SSECustomerAlgorithm, SSECustomerKey, SSECustomerKeyMD5 }: ClientKey) => ({
  CopySourceSSECustomerAlgorithm: SSECustomerAlgorithm,
  CopySourceSSECustomerKey: SSECustomerKey,
  CopySourceSSECustomerKeyMD5: SSECustomerKeyMD5,
})
