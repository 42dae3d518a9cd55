/**
 * The error codes of AWS' Query protocol that we send, with their statuses
 * (https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html).
 */
export const queryErrors = {
  AccessDenied: 403,
  ConcurrentModification: 409,
  DeleteConflict: 409,
  EntityAlreadyExists: 409,
  ExpiredToken: 403,
  ExpiredTokenException: 400,
  IDPCommunicationError: 400,
  IDPRejectedClaim: 403,
  IncompleteBody: 400,
  IncompleteSignature: 400,
  InternalFailure: 500,
  InvalidAction: 400,
  InvalidClientTokenId: 403,
  InvalidIdentityToken: 400,
  InvalidInput: 400,
  InvalidParameterCombination: 400,
  LimitExceeded: 409,
  MalformedPolicyDocument: 400,
  MalformedQueryString: 400,
  MissingAction: 400,
  MissingAuthenticationToken: 403,
  NoSuchEntity: 404,
  NotImplemented: 501,
  PackedPolicyTooLarge: 400,
  PolicyNotAttachable: 400,
  RequestEntityTooLarge: 413,
  RequestExpired: 400,
  RequestTimeout: 408,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  Throttling: 400,
  UnmodifiableEntity: 400,
  ValidationError: 400,
} as const
export type QueryCode = keyof typeof queryErrors

/** A refusal in the words of the Query protocol. */
export class QueryError extends Error {
  readonly code: QueryCode
  readonly status: number
  constructor(code: QueryCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.status = queryErrors[code]
  }
}
