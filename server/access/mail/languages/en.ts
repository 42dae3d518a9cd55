export type CredentialKind = 'tokens' | 'access_keys'
/** A credential, and how much time is left until it expires: “in 7 days”. */
export interface Named {
  kind: CredentialKind
  name: string
  left: string
}
export interface Held extends Named {
  mark: string
  at: string
}
export interface Opened {
  /** Whether it is an upload link. */
  took: boolean
  name: string
  bucket: string
  at: string
}
export interface Filled {
  bucket: string
  percent: string
  held: string
  quota: string
}

/** What an agent asks for; no objects: nobody knows how many. */
export interface AskedFor {
  agent: string
  objects: number
  size: string
}

/** What changes in how a user signs in. The name of a factor goes with `app_` and `passkey_`. */
export type SignInChange =
  | 'password_set'
  | 'password_changed'
  | 'password_removed'
  | 'app_added'
  | 'app_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'factors_removed'
  | 'codes_replaced'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'address_added'
  | 'address_removed'
export interface ChangedSignIn {
  change: SignInChange
  name: string
}
/** Who or what changed it. */
export type SignInChanger = 'self' | 'reset_link' | 'invitation' | 'administrator' | 'identity_provider'
export interface ChangedBy {
  by: SignInChanger
  at: string
}

const what = { tokens: 'access token', access_keys: 'access key' } as const
const who = (by: string | null): string => by ?? 'An administrator'

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => 'Your account has got a password',
  password_changed: () => 'Your password was changed',
  password_removed: () => 'Your password was removed',
  app_added: (name) => `The authenticator app “${name}” was added to your account`,
  app_removed: (name) => `The authenticator app “${name}” was removed from your account`,
  passkey_added: (name) => `The passkey “${name}” was added to your account`,
  passkey_removed: (name) => `The passkey “${name}” was removed from your account`,
  factors_removed: () => 'Two-step verification was turned off for your account',
  codes_replaced: () => 'Your recovery codes were replaced',
  identity_linked: () => 'Your account was linked to an identity provider',
  identity_unlinked: () => 'Your account is no longer linked to an identity provider',
  address_added: () => 'This is now the email address of your account',
  address_removed: () => 'This is no longer the email address of your account',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: 'by you, or by somebody signed in as you',
  reset_link: 'with a link from “Forgot password?”, which was sent to this address',
  invitation: 'with the link of an invitation',
  administrator: 'by an administrator',
  identity_provider: 'by a sign-in through the identity provider',
}

/** What mails say, in English. Other languages have the same texts; names, times and numbers are ready to be put in. */
export const texts = {
  expiringSubject: ({ kind, name, left }: Named) => `Your ${what[kind]} “${name}” expires ${left}`,
  expiring: ({ kind, name, mark, left, at }: Held) =>
    `Your ${what[kind]} “${name}” (${mark}) expires ${left}, on ${at}.`,
  expiringHint: (kind: CredentialKind) =>
    `Programs that use it are refused from then on. If they are still needed, create another ${what[kind]} and let them use that:`,
  expiringReason: (kind: CredentialKind) => `You get this because the ${what[kind]} is yours.`,

  openedSubject: (name: string) => `Your link to “${name}” was opened`,
  opened: ({ took, name, bucket, at }: Opened) =>
    `Your ${took ? 'upload link' : 'link'} to “${name}” in the bucket “${bucket}” was opened for the first time, on ${at}.`,
  openedHint: 'Who opened it since, and everything else about your links:',
  openedReason: 'You get this once, because you asked for it when you shared.',

  invitationSubject: (by: string | null) => `${who(by)} created an account for you`,
  invitation: (by: string | null, until: string) =>
    `${who(by)} created an account for you. Choose a password, and you are in. The link works once, until ${until}:`,
  invitationReason: 'If you did not expect this, ignore it: without a password, nobody can use the account.',

  resetSubject: 'Choose a new password',
  reset: (until: string) =>
    `Somebody asked for a new password for your account. If it was you, choose one now. The link works once, until ${until}. It signs you out everywhere else:`,
  resetReason: 'If it was not you, ignore this: your password does not change.',

  signInSubject: 'How you sign in was changed',
  signInChanged: ({ change, name }: ChangedSignIn) => changed[change](name),
  signInStop: '.',
  signInBy: ({ by, at }: ChangedBy) => `That was on ${at}, ${changedBy[by]}.`,
  signInReset:
    'If it was not you, somebody else may get into your account. Choose a new password at once with “Forgot password?” on the sign-in page, which signs everybody out. Then look through your account, and tell an administrator:',
  signInAsk: 'If it was not you, and you know nothing of it, tell an administrator at once. Your account:',
  signInReason: 'You get this because it is about how you sign in.',

  fillingSubject: (bucket: string, percent: string) => `The bucket “${bucket}” is ${percent} full`,
  filling: ({ bucket, percent, held, quota }: Filled) =>
    `The bucket “${bucket}” has reached ${percent} of its quota: ${held} of ${quota}, with what is being uploaded.`,
  fillingHint: 'Uploads are refused once it is full. Its quota and what it holds:',
  fillingReason: 'You get this because you are an administrator.',

  approvalSubject: (agent: string) => `The agent “${agent}” asks for your approval`,
  approval: ({ agent, objects, size }: AskedFor) =>
    objects === 0
      ? `The agent “${agent}” asks for your approval. Nothing is done until you decide.`
      : `The agent “${agent}” asks to change ${objects} ${objects === 1 ? 'object' : 'objects'} (${size}). Nothing is done until you decide.`,
  approvalHint: 'What exactly would happen, and your decision:',
  approvalReason: 'You get this because the agent is yours.',

  testSubject: (site: string) => `A test mail of ${site}`,
  test: (site: string) => `Mail works: ${site} sent this to you from its settings.`,
  testReason: 'You get this because you asked for it.',

  signature: (site: string, reason: string) => `${site}. ${reason}`,
}
/** The same texts in another language. */
export type Texts = typeof texts
