/** Why a token of an identity provider is not accepted; in the words of STS, each has a code of its own. */
export type RefusalReason = 'expired' | 'invalid' | 'rejected' | 'unreachable'

/** A token of an identity provider that opens no session. */
export class TokenRefused extends Error {
  readonly reason: RefusalReason
  constructor(reason: RefusalReason, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.reason = reason
  }
}
