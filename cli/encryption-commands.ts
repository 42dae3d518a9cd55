import type { Command, Commands, Given } from './command.ts'
import { recode } from './encrypt.ts'
import { KMS_KEYS_USAGE, KMS_OPTIONS, kmsKeys } from './kms-keys.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

const recoding = (kind: 'encrypt' | 'decrypt'): Command['work'] =>
  function work({ words: [bucket = ''], flag, value }: Given, open) {
    return recode(open(), kind, { bucket, encryption: value('encryption'), wait: !flag('no-wait') })
  }

/** The commands for encryption at rest. */
export const encryptionCommands: Commands = {
  encrypt: {
    usage: 'encrypt [--encryption AES256] [--no-wait] [--json] <bucket>',
    about: `Encrypts what a bucket holds, with its versions and its trash, while it is in use. Needs the permission to manage it.
How new objects are encrypted does not change: see "strongroom buckets set".

A job of the service does it. Ctrl-C leaves that running; to follow it again, run the same command again.

      --encryption AES256  with keys of the service, or of a key service: aws:kms:<name of the key> (default: as the
                           bucket says of new objects, or AES256)
      --no-wait            print the job's id instead of waiting for its end
      --json               print the job as JSON`,
    options: { encryption: text, 'no-wait': flag, json: flag },
    words: [1, 1],
    work: recoding('encrypt'),
  },
  decrypt: {
    usage: 'decrypt [--no-wait] [--json] <bucket>',
    about: `Decrypts what a bucket holds, with its versions and its trash, while it is in use. For administrators. Objects that are
encrypted with a key of their client stay encrypted, and are listed.

      --no-wait  print the job's id instead of waiting for its end
      --json     print the job as JSON`,
    options: { 'no-wait': flag, json: flag },
    words: [1, 1],
    work: recoding('decrypt'),
  },
  'kms-keys': {
    usage: KMS_KEYS_USAGE,
    about: `Lists the keys of key services with which buckets and S3 clients can encrypt: name, kind, on or off, and which key it
is. For administrators. Or:

  create <name> <key id>   register a key; it is tested first. Asks for the secret of --access-key-id, or the token of
                           Transit, or reads it from standard input
  enable|disable <name>    use it, or not: while it is off, what is encrypted with it cannot be read
  delete <name>            forget a key that nothing needs

      --kind transit       aws: the AWS KMS API. transit: Transit of Vault or OpenBao (default: aws)
      --endpoint URL       of the key service (default: AWS)
      --region R           of AWS
      --mount path         where Transit is mounted (default: transit)
      --access-key-id ID   without it, the service uses the credentials that the AWS SDK finds on its machine
      --json               one JSON object a line`,
    options: { json: flag, kind: text, endpoint: text, region: text, mount: text, 'access-key-id': text },
    words: [0, 3],
    work: ({ words, value }, open) =>
      kmsKeys(open(), words, Object.fromEntries(KMS_OPTIONS.map((option) => [option, value(option)]))),
  },
}
