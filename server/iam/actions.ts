/**
 * The actions that a policy can name, by service: those of Amazon S3 for buckets and objects, of IAM and of STS
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/). Actions of operations that Strongroom does not
 * have are kept in policies and grant nothing.
 */

const names = (text: string): string[] => text.trim().split(/\s+/)

/** S3's actions on a bucket. */
const ON_BUCKETS = names(`
  CreateBucket CreateBucketMetadataTableConfiguration DeleteBucket DeleteBucketMetadataTableConfiguration
  DeleteBucketOwnershipControls DeleteBucketPolicy DeleteBucketWebsite GetAccelerateConfiguration
  GetAnalyticsConfiguration GetBucketAbac GetBucketAcl GetBucketCORS GetBucketLocation GetBucketLogging
  GetBucketMetadataTableConfiguration GetBucketNotification GetBucketObjectLockConfiguration GetBucketOwnershipControls
  GetBucketPolicy GetBucketPolicyStatus GetBucketPublicAccessBlock GetBucketRequestPayment GetBucketTagging
  GetBucketVersioning GetBucketWebsite GetEncryptionConfiguration GetIntelligentTieringConfiguration
  GetInventoryConfiguration GetLifecycleConfiguration GetMetricsConfiguration GetReplicationConfiguration ListBucket
  ListBucketMultipartUploads ListBucketVersions PutAccelerateConfiguration PutAnalyticsConfiguration PutBucketAbac
  PutBucketAcl PutBucketCORS PutBucketLogging PutBucketNotification PutBucketObjectLockConfiguration
  PutBucketOwnershipControls PutBucketPolicy PutBucketPublicAccessBlock PutBucketRequestPayment PutBucketTagging
  PutBucketVersioning PutBucketWebsite PutEncryptionConfiguration PutIntelligentTieringConfiguration
  PutInventoryConfiguration PutLifecycleConfiguration PutMetricsConfiguration PutReplicationConfiguration
  UpdateBucketMetadataInventoryTableConfiguration UpdateBucketMetadataJournalTableConfiguration`)

/** S3's actions on an object. */
const ON_OBJECTS = names(`
  AbortMultipartUpload BypassGovernanceRetention DeleteObject DeleteObjectTagging DeleteObjectVersion
  DeleteObjectVersionTagging GetObject GetObjectAcl GetObjectAttributes GetObjectLegalHold GetObjectRetention
  GetObjectTagging GetObjectTorrent GetObjectVersion GetObjectVersionAcl GetObjectVersionAttributes
  GetObjectVersionForReplication GetObjectVersionTagging GetObjectVersionTorrent InitiateReplication
  ListMultipartUploadParts ObjectOwnerOverrideToBucketOwner PutObject PutObjectAcl PutObjectLegalHold
  PutObjectRetention PutObjectTagging PutObjectVersionAcl PutObjectVersionTagging RenameObject ReplicateDelete
  ReplicateObject ReplicateTags RestoreObject UpdateObjectEncryption`)

/** S3's actions on what is neither: accounts, access points, jobs, grants and the like. */
const ON_OTHERS = names(`
  AssociateAccessGrantsIdentityCenter CreateAccessGrant CreateAccessGrantsInstance CreateAccessGrantsLocation
  CreateAccessPoint CreateAccessPointForObjectLambda CreateJob CreateMultiRegionAccessPoint CreateStorageLensGroup
  DeleteAccessGrant DeleteAccessGrantsInstance DeleteAccessGrantsInstanceResourcePolicy DeleteAccessGrantsLocation
  DeleteAccessPoint DeleteAccessPointForObjectLambda DeleteAccessPointPolicy DeleteAccessPointPolicyForObjectLambda
  DeleteAccessPointPublicAccessBlock DeleteAccessPointScope DeleteJobTagging DeleteMultiRegionAccessPoint
  DeleteStorageLensConfiguration DeleteStorageLensConfigurationTagging DeleteStorageLensGroup DescribeJob
  DescribeMultiRegionAccessPointOperation DissociateAccessGrantsIdentityCenter GetAccessGrant GetAccessGrantsInstance
  GetAccessGrantsInstanceForPrefix GetAccessGrantsInstanceResourcePolicy GetAccessGrantsLocation GetAccessPoint
  GetAccessPointConfigurationForObjectLambda GetAccessPointForObjectLambda GetAccessPointPolicy
  GetAccessPointPolicyForObjectLambda GetAccessPointPolicyStatus GetAccessPointPolicyStatusForObjectLambda
  GetAccessPointPublicAccessBlock GetAccessPointScope GetAccountPublicAccessBlock GetDataAccess GetJobTagging
  GetMultiRegionAccessPoint GetMultiRegionAccessPointPolicy GetMultiRegionAccessPointPolicyStatus
  GetMultiRegionAccessPointRoutes GetStorageLensConfiguration GetStorageLensConfigurationTagging
  GetStorageLensDashboard GetStorageLensGroup ListAccessGrants ListAccessGrantsInstances ListAccessGrantsLocations
  ListAccessPoints ListAccessPointsForObjectLambda ListAllMyBuckets ListCallerAccessGrants ListJobs
  ListMultiRegionAccessPoints ListStorageLensConfigurations ListStorageLensGroups ListTagsForResource
  PauseReplication PutAccessGrantsInstanceResourcePolicy PutAccessPointConfigurationForObjectLambda
  PutAccessPointPolicy PutAccessPointPolicyForObjectLambda PutAccessPointPublicAccessBlock PutAccessPointScope
  PutAccountPublicAccessBlock PutJobTagging PutMultiRegionAccessPointPolicy PutStorageLensConfiguration
  PutStorageLensConfigurationTagging SubmitMultiRegionAccessPointRoutes TagResource UntagResource
  UpdateAccessGrantsLocation UpdateJobPriority UpdateJobStatus UpdateStorageLensGroup`)

const OF_IAM = names(`
  AddClientIDToOpenIDConnectProvider AddRoleToInstanceProfile AddUserToGroup AttachGroupPolicy AttachRolePolicy
  AttachUserPolicy ChangePassword CreateAccessKey CreateAccountAlias CreateGroup CreateInstanceProfile
  CreateLoginProfile CreateOpenIDConnectProvider CreatePolicy CreatePolicyVersion CreateRole CreateSAMLProvider
  CreateServiceLinkedRole CreateServiceSpecificCredential CreateUser CreateVirtualMFADevice DeactivateMFADevice
  DeleteAccessKey DeleteAccountAlias DeleteAccountPasswordPolicy DeleteGroup DeleteGroupPolicy DeleteInstanceProfile
  DeleteLoginProfile DeleteOpenIDConnectProvider DeletePolicy DeletePolicyVersion DeleteRole
  DeleteRolePermissionsBoundary DeleteRolePolicy DeleteSAMLProvider DeleteSSHPublicKey DeleteServerCertificate
  DeleteServiceLinkedRole DeleteServiceSpecificCredential DeleteSigningCertificate DeleteUser
  DeleteUserPermissionsBoundary DeleteUserPolicy DeleteVirtualMFADevice DetachGroupPolicy DetachRolePolicy
  DetachUserPolicy EnableMFADevice GenerateCredentialReport GenerateOrganizationsAccessReport
  GenerateServiceLastAccessedDetails GetAccessKeyLastUsed GetAccountAuthorizationDetails GetAccountPasswordPolicy
  GetAccountSummary GetContextKeysForCustomPolicy GetContextKeysForPrincipalPolicy GetCredentialReport GetGroup
  GetGroupPolicy GetInstanceProfile GetLoginProfile GetMFADevice GetOpenIDConnectProvider GetPolicy GetPolicyVersion
  GetRole GetRolePolicy GetSAMLProvider GetSSHPublicKey GetServerCertificate GetServiceLastAccessedDetails
  GetServiceLinkedRoleDeletionStatus GetUser GetUserPolicy ListAccessKeys ListAccountAliases ListAttachedGroupPolicies
  ListAttachedRolePolicies ListAttachedUserPolicies ListEntitiesForPolicy ListGroupPolicies ListGroups
  ListGroupsForUser ListInstanceProfileTags ListInstanceProfiles ListInstanceProfilesForRole ListMFADeviceTags
  ListMFADevices ListOpenIDConnectProviderTags ListOpenIDConnectProviders ListPolicies
  ListPoliciesGrantingServiceAccess ListPolicyTags ListPolicyVersions ListRolePolicies ListRoleTags ListRoles
  ListSAMLProviderTags ListSAMLProviders ListSSHPublicKeys ListServerCertificateTags ListServerCertificates
  ListServiceSpecificCredentials ListSigningCertificates ListUserPolicies ListUserTags ListUsers ListVirtualMFADevices
  PassRole PutGroupPolicy PutRolePermissionsBoundary PutRolePolicy PutUserPermissionsBoundary PutUserPolicy
  RemoveClientIDFromOpenIDConnectProvider RemoveRoleFromInstanceProfile RemoveUserFromGroup
  ResetServiceSpecificCredential ResyncMFADevice SetDefaultPolicyVersion SetSecurityTokenServicePreferences
  SimulateCustomPolicy SimulatePrincipalPolicy TagInstanceProfile TagMFADevice TagOpenIDConnectProvider TagPolicy
  TagRole TagSAMLProvider TagServerCertificate TagUser UntagInstanceProfile UntagMFADevice UntagOpenIDConnectProvider
  UntagPolicy UntagRole UntagSAMLProvider UntagServerCertificate UntagUser UpdateAccessKey UpdateAccountPasswordPolicy
  UpdateAssumeRolePolicy UpdateGroup UpdateLoginProfile UpdateOpenIDConnectProviderThumbprint UpdateRole
  UpdateRoleDescription UpdateSAMLProvider UpdateSSHPublicKey UpdateServerCertificate UpdateServiceSpecificCredential
  UpdateSigningCertificate UpdateUser UploadSSHPublicKey UploadServerCertificate UploadSigningCertificate`)

const OF_STS = names(`
  AssumeRole AssumeRoleWithSAML AssumeRoleWithWebIdentity AssumeRoot DecodeAuthorizationMessage GetAccessKeyInfo
  GetCallerIdentity GetFederationToken GetServiceBearerToken GetSessionToken SetContext SetSourceIdentity TagSession`)

/** What an action is asked for on. */
export type ActionSubject = 'bucket' | 'object' | 'other'

const subjects = new Map<string, ActionSubject>([
  ...ON_BUCKETS.map((name): [string, ActionSubject] => [`s3:${name}`, 'bucket']),
  ...ON_OBJECTS.map((name): [string, ActionSubject] => [`s3:${name}`, 'object']),
  ...ON_OTHERS.map((name): [string, ActionSubject] => [`s3:${name}`, 'other']),
  ...OF_IAM.map((name): [string, ActionSubject] => [`iam:${name}`, 'other']),
  ...OF_STS.map((name): [string, ActionSubject] => [`sts:${name}`, 'other']),
])

/** Every action by its name as AWS writes it, and what it is asked for on. */
export const knownActions: ReadonlyMap<string, ActionSubject> = subjects
