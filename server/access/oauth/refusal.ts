import { ServiceError } from '../../../contract/errors.ts'

/** The codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2 and RFC 8707 section 2. */
export type OauthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** A refusal that clients of OAuth understand, besides being a problem. */
export const oauthRefusal = (error: OauthError, detail: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid_oauth_request', detail, { extensions: { error, error_description: detail }, cause })
