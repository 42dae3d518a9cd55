/** The error codes of S3 that we send, with their statuses. */
export const s3Errors = {
  AccessControlListNotSupported: 400,
  AccessDenied: 403,
  AccessForbidden: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BadRequest: 400,
  ApprovalRequired: 403,
  BudgetExceeded: 403,
  BucketAlreadyExists: 409,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IncompleteBody: 400,
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketAclWithObjectOwnership: 400,
  InvalidBucketName: 400,
  InvalidBucketState: 409,
  InvalidDigest: 400,
  InvalidEncryptionAlgorithmError: 400,
  InvalidLocationConstraint: 400,
  InvalidPolicyDocument: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRedirectLocation: 400,
  InvalidRequest: 400,
  InvalidRetentionPeriod: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  'KMS.DisabledException': 400,
  KeyTooLongError: 400,
  MalformedACLError: 400,
  MalformedPOSTRequest: 400,
  MalformedPolicy: 400,
  MalformedTrailerError: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MaxPostPreDataLengthExceeded: 400,
  MetadataTooLarge: 400,
  InvalidObjectState: 403,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  MissingSecurityHeader: 400,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchObjectLockConfiguration: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  IllegalVersioningConfigurationException: 400,
  NoSuchVersion: 404,
  NoSuchWebsiteConfiguration: 404,
  NotImplemented: 501,
  ObjectDamaged: 409,
  ObjectErased: 410,
  ObjectLockConfigurationNotFoundError: 404,
  OperationAborted: 409,
  OwnershipControlsNotFoundError: 404,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  ReplicationConfigurationNotFoundError: 404,
  RequestHeaderSectionTooLarge: 400,
  RequestTimeTooSkewed: 403,
  RequestTimeout: 400,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  UnexpectedContent: 400,
  XAmzContentSHA256Mismatch: 400,
} as const
export type S3Code = keyof typeof s3Errors

/** A refusal in the words of S3. `fields` are further elements of the answer's `<Error>`. */
export class S3Error extends Error {
  readonly code: S3Code
  readonly fields: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  constructor(
    code: S3Code,
    message: string,
    more: { fields?: Record<string, string>; headers?: Readonly<Record<string, string>>; status?: number } = {},
  ) {
    super(message)
    this.code = code
    this.fields = more.fields ?? {}
    this.headers = more.headers ?? {}
    this.status = more.status ?? s3Errors[code]
  }
}

/** The refusal of an argument, as S3 names it. */
export const invalidArgument = (name: string, value: string, message: string): S3Error =>
  new S3Error('InvalidArgument', message, { fields: { ArgumentName: name, ArgumentValue: value } })
