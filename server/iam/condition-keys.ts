/**
 * The keys that conditions and variables of policies can name: the global ones
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html), those of S3, of STS and of IAM.
 * A key that nothing here can have a value for is kept, and counts as absent, as with AWS where a request has none.
 */

const names = (text: string): string[] => text.trim().split(/\s+/)

const KEYS = new Set(
  [
    ...names(`
      aws:CalledVia aws:CalledViaFirst aws:CalledViaLast aws:ChatbotSourceArn aws:CurrentTime aws:EpochTime
      aws:FederatedProvider aws:MultiFactorAuthAge aws:MultiFactorAuthPresent aws:PrincipalAccount aws:PrincipalArn
      aws:PrincipalIsAWSService aws:PrincipalOrgID aws:PrincipalOrgPaths aws:PrincipalServiceName
      aws:PrincipalServiceNamesList aws:PrincipalType aws:Referer aws:RequestedRegion aws:ResourceAccount
      aws:ResourceOrgID aws:ResourceOrgPaths aws:SecureTransport aws:SourceAccount aws:SourceArn aws:SourceIdentity
      aws:SourceIp aws:SourceOrgID aws:SourceOrgPaths aws:SourceOwner aws:SourceVpc aws:SourceVpcArn aws:SourceVpce
      aws:TagKeys aws:TokenIssueTime aws:UserAgent aws:userid aws:username aws:ViaAWSService aws:VpcSourceIp
      aws:VpceAccount aws:VpceOrgID aws:VpceOrgPaths aws:AssumedRoot aws:Ec2InstanceSourceVpc
      aws:Ec2InstanceSourcePrivateIPv4`),
    ...names(`
      AccessGrantsInstanceArn AccessPointNetworkOrigin AccessPointTag authType BucketTag DataAccessPointAccount
      DataAccessPointArn delimiter destinationRegion ExistingJobOperation ExistingJobPriority if-match if-none-match
      InventoryAccessibleOptionalFields isReplicationPauseRequest JobSuspendedCause locationconstraint
      LocationConstraint max-keys object-lock-legal-hold object-lock-mode object-lock-remaining-retention-days
      object-lock-retain-until-date ObjectCreationOperation prefix RequestJobOperation RequestJobPriority
      RequestObjectTagKeys ResourceAccount signatureAge signatureversion TlsVersion versionid x-amz-acl
      x-amz-content-sha256 x-amz-copy-source x-amz-grant-full-control x-amz-grant-read x-amz-grant-read-acp
      x-amz-grant-write x-amz-grant-write-acp x-amz-metadata-directive x-amz-object-ownership
      x-amz-server-side-encryption x-amz-server-side-encryption-aws-kms-key-id
      x-amz-server-side-encryption-customer-algorithm x-amz-storage-class x-amz-tagging-directive
      x-amz-website-redirect-location x-amz-bucket-object-lock-enabled`).map((name) => `s3:${name}`),
    ...names(
      'authentication ExternalId RoleSessionName SourceIdentity TransitiveTagKeys DurationSeconds RequestContextProviders',
    ).map((name) => `sts:${name}`),
    ...names('AWSServiceName PassedToService PermissionsBoundary PolicyARN AssociatedResourceArn').map(
      (name) => `iam:${name}`,
    ),
  ].map((name) => name.toLowerCase()),
)

/** Keys with the name of a tag behind a slash. */
const TAGGED = [
  'aws:principaltag',
  'aws:requesttag',
  'aws:resourcetag',
  's3:existingobjecttag',
  's3:requestobjecttag',
  's3:buckettag',
  's3:accesspointtag',
  's3:resourcetag',
  'iam:resourcetag',
]
/** Claims of a web identity's token, by the issuer's URL without its scheme, or by `jwt`. */
const CLAIM = /^[a-z0-9.-]+(:\d+)?(\/[\w./~-]*)?:[\w./:~-]+$/
/** Services whose keys are all known: others' are claims. */
const SERVICES = /^(aws|s3|sts|iam):/
/** Whether a key, in the form of `keyOf`, is one of a service, and no claim. */
export const isOfService = (key: string): boolean => SERVICES.test(key)

/**
 * A key as it is compared: the names of keys are not case-sensitive, those of tags and claims are. Undefined for what
 * policies cannot name.
 */
export function keyOf(name: string): string | undefined {
  const slash = name.indexOf('/')
  const family = (slash < 0 ? name : name.slice(0, slash)).toLowerCase()
  if (slash > 0 && slash < name.length - 1 && TAGGED.includes(family)) return `${family}${name.slice(slash)}`
  const lower = name.toLowerCase()
  if (KEYS.has(lower)) return lower
  if (SERVICES.test(lower) || !CLAIM.test(lower)) return undefined
  const colon = name.lastIndexOf(':')
  return name.slice(0, colon).toLowerCase() + name.slice(colon)
}

/** Keys that a request can have here; those of tags and claims besides. */
const KNOWN = new Set(
  [
    ...names(`
      CurrentTime EpochTime FederatedProvider MultiFactorAuthPresent PrincipalAccount PrincipalArn PrincipalIsAWSService
      PrincipalType Referer RequestedRegion ResourceAccount SecureTransport SourceIdentity SourceIp TagKeys
      TokenIssueTime UserAgent userid username ViaAWSService`).map((name) => `aws:${name}`),
    ...names(`
      authType delimiter if-match if-none-match max-keys object-lock-legal-hold object-lock-mode
      object-lock-remaining-retention-days object-lock-retain-until-date prefix RequestObjectTagKeys ResourceAccount
      signatureAge signatureversion versionid`).map((name) => `s3:${name}`),
    ...names('authentication ExternalId RoleSessionName SourceIdentity DurationSeconds').map((name) => `sts:${name}`),
  ].map((name) => name.toLowerCase()),
)
const KNOWN_FAMILIES =
  /^(s3:x-amz-|(aws:(principaltag|requesttag|resourcetag)|iam:resourcetag|s3:(existingobjecttag|requestobjecttag))\/)/

/** Whether any request here can have a key, in the form of `keyOf`; of others, conditions say the same of every request. */
export const canBeKnown = (key: string): boolean => KNOWN.has(key) || KNOWN_FAMILIES.test(key) || !isOfService(key)

/**
 * Keys that only requests for some actions have, whatever else a request brings along: who may read if a request has a
 * certain header does not get to read by adding it
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html).
 */
const OF_ACTIONS: readonly { keys: RegExp; actions: RegExp }[] = [
  { keys: /^s3:(prefix|delimiter|max-keys)$/, actions: /^s3:ListBucket(Versions)?$/ },
  {
    keys: /^s3:x-amz-(acl|grant-[a-z-]+)$/,
    actions: /^s3:(CreateBucket|PutObject|Put(Object|ObjectVersion|Bucket)Acl)$/,
  },
  {
    keys: /^s3:x-amz-(copy-source|metadata-directive|tagging-directive|storage-class|website-redirect-location)$/,
    actions: /^s3:PutObject$/,
  },
  { keys: /^s3:x-amz-server-side-encryption(-aws-kms-key-id)?$/, actions: /^s3:PutObject$/ },
  { keys: /^s3:requestobjecttag(keys$|\/)/, actions: /^s3:PutObject((Version)?Tagging)?$/ },
  { keys: /^s3:object-lock-/, actions: /^s3:(PutObject(Retention|LegalHold)?|BypassGovernanceRetention)$/ },
]

/** Whether a request for an action can have a key, in the form of `keyOf`. */
export const canHave = (action: string, key: string): boolean =>
  !key.startsWith('s3:') || OF_ACTIONS.every(({ keys, actions }) => !keys.test(key) || actions.test(action))
