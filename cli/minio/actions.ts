/**
 * Which of MinIO's actions each of ours is: MinIO asks for another one than AWS in some requests. Its actions and what asks for
 * them were taken from its public sources, of releases from 2022 to 2026; no code was.
 */
import { isPattern, matches } from './wildcards.ts'

const names = (text: string): string[] => text.trim().split(/\s+/)

/** What an action is asked for on. */
export type Level = 'bucket' | 'object'

/** MinIO's actions on buckets, and on the service. */
const ON_BUCKETS = names(`
  CreateBucket DeleteBucket DeleteBucketCors DeleteBucketPolicy ForceDeleteBucket GetBucketCors GetBucketLocation
  GetBucketNotification GetBucketObjectLockConfiguration GetBucketPolicy GetBucketPolicyStatus GetBucketQOS GetBucketTagging
  GetBucketVersioning GetEncryptionConfiguration GetInventoryConfiguration GetLifecycleConfiguration
  GetReplicationConfiguration HeadBucket ListAllMyBuckets ListBucket ListBucketMultipartUploads ListBucketVersions
  ListenBucketNotification ListenNotification PutBucketCors PutBucketNotification PutBucketObjectLockConfiguration
  PutBucketPolicy PutBucketQOS PutBucketTagging PutBucketVersioning PutEncryptionConfiguration PutInventoryConfiguration
  PutLifecycleConfiguration PutReplicationConfiguration ResetBucketReplicationState`)
/** MinIO's actions on objects. */
const ON_OBJECTS = names(`
  AbortMultipartUpload BypassGovernanceRetention DeleteObject DeleteObjectTagging DeleteObjectVersion
  DeleteObjectVersionTagging GetObject GetObjectAttributes GetObjectLegalHold GetObjectRetention GetObjectTagging
  GetObjectVersion GetObjectVersionAttributes GetObjectVersionForReplication GetObjectVersionTagging
  ListMultipartUploadParts PutObject PutObjectFanOut PutObjectLegalHold PutObjectRetention PutObjectTagging
  PutObjectVersionTagging ReplicateDelete ReplicateObject ReplicateTags RestoreObject`)
/** Those of operations that are MinIO's own: nothing here is asked for with them. */
const OF_MINIO = new Set(
  names(`
    DeleteBucketCors ForceDeleteBucket GetBucketQOS HeadBucket ListenBucketNotification ListenNotification PutBucketQOS
    PutObjectFanOut ResetBucketReplicationState`),
)
/** Ours that MinIO has no word for, by what they are asked for on. */
const ONLY_OURS: { readonly [level in Level]: readonly string[] } = {
  bucket: names(`
    DeleteBucketWebsite GetAccelerateConfiguration GetAnalyticsConfiguration GetBucketAcl GetBucketLogging
    GetBucketOwnershipControls GetBucketPublicAccessBlock GetBucketRequestPayment GetBucketWebsite
    GetIntelligentTieringConfiguration GetMetricsConfiguration PutBucketAcl PutBucketOwnershipControls
    PutBucketPublicAccessBlock PutBucketWebsite`),
  object: names('GetObjectAcl GetObjectVersionAcl PutObjectAcl PutObjectVersionAcl'),
}

/** What MinIO asks for where we ask for an action. */
interface Asked {
  /** Any of these lists, and all in it. */
  allow: readonly (readonly string[])[]
  /** None of these may be denied. */
  deny: readonly string[]
}
const all = (...actions: string[]): Asked => ({ allow: [actions], deny: actions })
/** Of a version: what is asked for on the object decides, and a Deny of either holds. */
const ofVersion = (onObject: string, onVersion: string): Asked => ({ allow: [[onObject]], deny: [onObject, onVersion] })

/** Where MinIO asks for something else. */
const OTHERWISE: { readonly [ours: string]: Asked } = {
  GetObjectVersion: ofVersion('GetObject', 'GetObjectVersion'),
  DeleteObjectVersion: ofVersion('DeleteObject', 'DeleteObjectVersion'),
  GetObjectVersionTagging: ofVersion('GetObjectTagging', 'GetObjectVersionTagging'),
  PutObjectVersionTagging: ofVersion('PutObjectTagging', 'PutObjectVersionTagging'),
  DeleteObjectVersionTagging: ofVersion('DeleteObjectTagging', 'DeleteObjectVersionTagging'),
  GetObjectVersionAttributes: all('GetObjectAttributes', 'GetObjectVersionAttributes'),
  // Whoever may list objects may list versions.
  ListBucketVersions: { allow: [['ListBucketVersions'], ['ListBucket']], deny: ['ListBucket', 'ListBucketVersions'] },
  // One action of AWS for both.
  PutBucketCors: all('PutBucketCors', 'DeleteBucketCors'),
}
/** In a key's own policy it has to be said that versions may be deleted. */
const OF_KEYS: { readonly [ours: string]: Asked } = {
  DeleteObjectVersion: all('DeleteObject', 'DeleteObjectVersion'),
}

const s3 = (name: string): string => `s3:${name}`
const MINIOS = [...ON_BUCKETS, ...ON_OBJECTS].map(s3)
/** Our actions that MinIO has a word for, by what they are asked for on. */
const OURS: { readonly [level in Level]: readonly string[] } = {
  bucket: ON_BUCKETS.filter((name) => !OF_MINIO.has(name)),
  object: ON_OBJECTS.filter((name) => !OF_MINIO.has(name)),
}

/** Whether a text can name actions of S3. */
export const isOfS3 = (text: string): boolean => MINIOS.some((name) => matches(text, name))

/** Which actions a statement is about, as it writes them. */
export interface Written {
  allows: boolean
  /** `Action`, or `NotAction`. */
  texts: readonly string[]
  negated: boolean
  /** Whether it is in a key's own policy. */
  ofKey: boolean
}

/** Our actions for those of a statement: an element of a policy of ours. Undefined where there are none. */
export function actionsFor(written: Written, level: Level | 'both'): { [element: string]: string[] } | undefined {
  const { allows, texts, negated, ofKey } = written
  const named = MINIOS.filter((name) => texts.some((text) => matches(text, name)) !== negated)
  const has = (name: string) => named.includes(s3(name))
  const isMeant = (name: string): boolean => {
    const { allow, deny } = (ofKey ? OF_KEYS[name] : undefined) ?? OTHERWISE[name] ?? all(name)
    if (allows) return allow.some((one) => one.every(has))
    // In newer releases, a Deny of versions is one of objects.
    return deny.some(has) || (name === 'GetObject' && !negated && has('GetObjectVersion'))
  }
  const levels: readonly Level[] = level === 'both' ? ['bucket', 'object'] : [level]
  const ours = levels.flatMap((one) => OURS[one])
  const meant = ours.filter(isMeant)
  if (level === 'both' && named.length === MINIOS.length)
    return { Action: [texts.includes('*') && !allows ? '*' : 's3:*'] }
  // What is denied but for some actions is denied also where MinIO has no word for it.
  if (!allows && negated) {
    const other = level === 'bucket' ? 'object' : 'bucket'
    const others = level === 'both' ? [] : [...OURS[other], ...ONLY_OURS[other]]
    const spared = [...ours.filter((name) => !isMeant(name)), ...others]
    return spared.length > 0 ? { NotAction: spared.map(s3) } : { Action: ['s3:*'] }
  }
  // And so is what a pattern means.
  const isPatterned = (name: string) => texts.some((text) => isPattern(text) && matches(text, s3(name)))
  const patterns = allows
    ? []
    : level === 'both'
      ? texts.filter((text) => isPattern(text) && ours.some((name) => matches(text, s3(name))))
      : ONLY_OURS[level].filter(isPatterned).map(s3)
  const elements = [...new Set([...patterns, ...meant.map(s3)])]
  return elements.length === 0 ? undefined : { Action: elements }
}
