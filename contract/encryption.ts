import Type from 'typebox'
import { Exactly } from './shapes.ts'

/** How an object is encrypted. */
export const ObjectEncryption = Type.Object({
  algorithm: Type.Enum(['AES256', 'SSE-C'], {
    description:
      '`AES256`: with a key of the service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it.',
  }),
})
export type ObjectEncryption = Type.Static<typeof ObjectEncryption>

/** How new objects of a bucket are encrypted. */
export const BucketEncryption = Exactly({
  algorithm: Type.Enum(['AES256'], { description: '`AES256`: with a key of the service.' }),
})
export type BucketEncryption = Type.Static<typeof BucketEncryption>
