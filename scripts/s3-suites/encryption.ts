/** The tests of ceph/s3-tests that are about encryption, by their names. */

const ABOUT = /sse|_enc(?!od)|encrypt|put_obj_(s3|kms)_/
const kinds: readonly (readonly [kind: string, name: RegExp])[] = [
  ['SSE-KMS', /kms/],
  ['SSE-C', /sse[-_]c|encrypted_transfer|encryption_key|enc_conflict_c_kms/],
  ['copies without encryption', /unencrypted-unencrypted|lifecycle_transition/],
  ['SSE-S3', /./],
]

export const ENCRYPTION_KINDS: readonly string[] = kinds.map(([kind]) => kind)

/** What a test is about; undefined if it is not about encryption. `id`: its file and name. */
export function encryptionKind(id: string): string | undefined {
  const name = id.split('::')[1] ?? ''
  return ABOUT.test(name) ? kinds.find(([, of]) => of.test(name))?.[0] : undefined
}
