import type { BucketAction } from '../../../../contract/names.ts'
import type { Exchange } from '../requests/exchange.ts'

/** One operation of S3: what a request must be to mean it, and what answers it. */
export interface Operation {
  /** Its name in S3's API. */
  name: string
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  on: 'service' | 'bucket' | 'object'
  /** The sub-resource that the query names, with a value where it must have one. */
  query?: string | readonly [name: string, value: string]
  /** Whether it is about one of several configurations of its kind, which `id` names, or about all of them. */
  item?: boolean
  /** Whether it takes its contents from the object that `x-amz-copy-source` names. */
  copies?: true
  /** Whether it is a form, signed in its fields: no other operation may be asked for by one. */
  form?: true
  /** Whether it takes `versionId`. */
  versions?: true
  /** Whether it can be asked of a bucket as it was at a moment. */
  reads?: true
  /** Whether it makes its bucket: that of any other has to be there. */
  creates?: true
  /**
   * The right to the object, or anywhere in the bucket, without which nothing of its document is read; or what throws
   * unless the caller has one, if even who may do nothing else in the bucket may have it. Those without have no document,
   * or ask themselves before they read it: for more than one right, or for the upload that they are about.
   */
  needs?: BucketAction | ((exchange: Exchange) => Promise<void>)
  /** Further parameters that a request which changes something may have. */
  parameters?: readonly string[]
  /** Whether the body may come in signed chunks, and is read as it comes. */
  streams?: boolean
  /** Whether it reads the headers about encryption: to others they say nothing, and are refused. */
  encrypts?: true
  /** Whom it may be public to: anyone, or those with a credential. */
  open?: 'anyone' | 'signed'
  /** What it leaves out of S3's operation, or answers always; documentation lists it. */
  partly?: string
  run(exchange: Exchange): Promise<void>
}

/** What the operations on ACLs leave out. */
export const ACL_GRANTS = 'no grants to other users; those to owners have no effect'
