// Who asks, as policies name them, and whom they name.
import { malformed } from './malformed.ts'

/** The account that everything here belongs to. */
export const ACCOUNT_ID = '000000000000'

/** Who asks for something. */
export interface Principal {
  kind: 'anonymous' | 'user' | 'role'
  /** The id of the user; of a session of a role, whose it is, if anyone's. */
  user: string | null
  /** `arn:aws:iam::…:user/…` or `arn:aws:sts::…:assumed-role/…`; null for nobody in particular. */
  arn: string | null
  /** Of a session: the role's ARN. */
  role?: string
  /** Of a session that a token of an identity provider opened: the provider's ARN. */
  federated?: string
  /** Of a user. */
  canonicalId(): string | null
}

/** Nobody in particular. */
export const anonymous: Principal = { kind: 'anonymous', user: null, arn: null, canonicalId: () => null }

/** Whom a statement names. */
export type PrincipalEntry =
  | { kind: 'anyone' }
  | { kind: 'account'; account: string }
  /** By id; null for a user of another account, or one that is gone. */
  | { kind: 'user'; id: string | null }
  | { kind: 'arn'; arn: string }
  | { kind: 'federated'; provider: string }
  | { kind: 'canonical'; id: string }
  | { kind: 'service' }

export interface PrincipalElement {
  entries: readonly PrincipalEntry[]
  /** `NotPrincipal`: everyone else. */
  negated: boolean
}

/** Who the users are that a policy names by ARN: their ids, as they were found when it was kept. */
export type UsersByArn = { readonly [arn: string]: string }

const ACCOUNT = /^(\d{12})$/
const ARN = /^arn:aws(?:-[a-z-]+)?:(iam|sts)::([\w-]*):(.+)$/
const NAMED = /^(user|role|assumed-role|federated-user)\/[\w+=,.@/-]+$/
const PROVIDER = /^(arn:aws:iam::[\w-]*:(oidc|saml)-provider\/\S+|[a-z0-9.-]+)$/

const invalid = () => malformed('Invalid principal in policy')

/** Whether the account is ours: RGW's ARNs leave it out. */
const isOurs = (account: string): boolean => account === ACCOUNT_ID || account === ''

/** The ARN of a user of ours that a text is, as it is looked up; undefined for any other principal. */
export const userNameIn = (text: string): string | undefined => {
  const [, service, account = '', rest = ''] = ARN.exec(text) ?? []
  return service === 'iam' && isOurs(account) && rest.startsWith('user/') && NAMED.test(rest)
    ? rest.slice(rest.lastIndexOf('/') + 1)
    : undefined
}

/** What an `AWS` principal means. Throws MalformedPolicy. */
export function awsPrincipal(text: string, users: UsersByArn): PrincipalEntry {
  if (text === '*') return { kind: 'anyone' }
  if (ACCOUNT.test(text)) return { kind: 'account', account: text }
  const [, service, account = '', rest = ''] = ARN.exec(text) ?? []
  if (service === 'iam' && rest === 'root') return { kind: 'account', account: account === '' ? ACCOUNT_ID : account }
  const [, kind] = NAMED.exec(rest) ?? []
  // Ceph's gateway has sessions among the ARNs of IAM too.
  const isSession = kind === 'assumed-role'
  const fits =
    service === 'iam' ? kind === 'user' || kind === 'role' || isSession : service === 'sts' && kind !== undefined
  if (!fits || kind === undefined || (service === 'sts' && (kind === 'user' || kind === 'role'))) throw invalid()
  if (kind === 'user')
    return { kind: 'user', id: isOurs(account) && Object.hasOwn(users, text) ? (users[text] ?? null) : null }
  const of = isSession ? 'sts' : service
  return { kind: 'arn', arn: isOurs(account) ? `arn:aws:${of}::${ACCOUNT_ID}:${rest}` : text }
}

/** The ARN of a provider of ours, with the account that RGW's leave out. */
const withAccount = (arn: string): string => arn.replace(/^arn:aws:iam:::/, () => `arn:aws:iam::${ACCOUNT_ID}:`)

/** What a principal of another kind means. Throws MalformedPolicy. */
export function otherPrincipal(kind: string, text: string): PrincipalEntry {
  if (kind === 'CanonicalUser' && /^[0-9a-f]{64}$/.test(text)) return { kind: 'canonical', id: text }
  if (kind === 'Federated' && PROVIDER.test(text)) return { kind: 'federated', provider: withAccount(text) }
  if (kind === 'Service' && /^[a-z0-9.-]{3,}$/.test(text) && text.slice(1, -1).includes('.')) return { kind: 'service' }
  throw invalid()
}

/**
 * Whether an entry names whoever asks. That of an account means its administrators decide, with their grants and policies:
 * a Deny holds for all of the account, an Allow gives nobody anything by itself, and `NotPrincipal` excepts nobody
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html).
 */
function names(entry: PrincipalEntry, principal: Principal, countsAccount: boolean): boolean {
  switch (entry.kind) {
    case 'anyone':
      return true
    case 'account':
      return countsAccount && entry.account === ACCOUNT_ID && principal.kind !== 'anonymous'
    case 'user':
      return principal.kind === 'user' && entry.id !== null && entry.id === principal.user
    case 'arn':
      return entry.arn === principal.arn || (principal.role !== undefined && entry.arn === principal.role)
    case 'federated':
      return principal.federated !== undefined && isProvider(entry.provider, principal.federated)
    case 'canonical':
      return principal.kind === 'user' && entry.id === principal.canonicalId()
    case 'service':
      return false
  }
}

const OF_PROVIDERS = ':oidc-provider/'
/** A provider is named by its ARN, or by exactly what follows the first `:oidc-provider/` in it: an issuer can have that, too. */
const isProvider = (named: string, arn: string): boolean =>
  named === arn || named === arn.slice(arn.indexOf(OF_PROVIDERS) + OF_PROVIDERS.length)

/** Whether a statement is about whoever asks. */
export const isAbout = (
  { entries, negated }: PrincipalElement,
  principal: Principal,
  effect: 'Allow' | 'Deny',
): boolean => negated !== entries.some((entry) => names(entry, principal, effect === 'Deny' && !negated))
