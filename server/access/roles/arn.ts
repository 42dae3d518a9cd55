// How roles, their sessions and identity providers are named. What is told to clients has no account in it, as Ceph's gateway
// writes it; what policies compare has. Both are understood.
import type { IamResource } from '../../iam/decide-iam.ts'
import { ACCOUNT_ID } from '../../iam/principal.ts'

/** A role's name with its path. */
export interface RoleName {
  path: string
  name: string
}

/** The ARN of a role, as clients are told. */
export const roleArn = ({ path, name }: RoleName): string => `arn:aws:iam:::role${path}${name}`
/** The same, as policies compare it. */
export const fullRoleArn = ({ path, name }: RoleName): string => `arn:aws:iam::${ACCOUNT_ID}:role${path}${name}`
/** A role as policies can name it. */
export const roleResource = (role: RoleName): IamResource => ({ arns: [fullRoleArn(role), roleArn(role)] })

/** The ARN of a session of a role. */
export const sessionArn = (role: string, session: string): string =>
  `arn:aws:sts::${ACCOUNT_ID}:assumed-role/${role}/${session}`

/** The ARN of an identity provider, as clients are told. */
export const providerArn = (issuerKey: string): string => `arn:aws:iam:::oidc-provider/${issuerKey}`
/** The same, as policies compare it. */
export const fullProviderArn = (issuerKey: string): string => `arn:aws:iam::${ACCOUNT_ID}:oidc-provider/${issuerKey}`

/** A provider as policies can name it. */
export const providerResource = (issuerKey: string): IamResource => ({
  arns: [fullProviderArn(issuerKey), providerArn(issuerKey)],
})

/**
 * The role that stands for what somebody may by their groups: who comes with a token of the service's own identity provider
 * needs no role of ours.
 */
export const GROUPS_ROLE = 'as-my-groups'

const OURS = new RegExp(`^arn:aws(?:-[a-z-]+)?:iam::(?:${ACCOUNT_ID})?:(role|oidc-provider)/(.+)$`)

/** The name of the role of ours that an ARN means; undefined for any other ARN. */
export function roleNameIn(arn: string): string | undefined {
  const [, kind, rest = ''] = OURS.exec(arn) ?? []
  return kind === 'role' ? rest.slice(rest.lastIndexOf('/') + 1) : undefined
}

/** The issuer of the provider of ours that an ARN means, without its scheme; undefined for any other ARN. */
export function issuerKeyIn(arn: string): string | undefined {
  const [, kind, rest] = OURS.exec(arn) ?? []
  return kind === 'oidc-provider' ? rest : undefined
}
