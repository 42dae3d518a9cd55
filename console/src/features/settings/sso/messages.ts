import { catalogue } from '../../../i18n.ts'
import type { Part, Provider } from './presets.ts'
import type { Step } from './steps.ts'

export const providerText = catalogue('sso.providerText', {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'Another OpenID Connect provider',
} satisfies Record<Provider, string>)

export const partText = catalogue('sso.partText', {
  tenant: 'Directory (tenant) ID',
  domain: 'Okta domain',
  base: 'Server address',
  realm: 'Realm',
  slug: 'Application slug',
  issuer: 'Issuer URL',
} satisfies Record<Part, string>)

export const partHints = catalogue('sso.partHints', {
  tenant: 'On the overview page of the app registration.',
  domain: 'For example acme.okta.com.',
  base: 'For example https://sso.example.com.',
  realm: 'The realm your users are in.',
  slug: 'As in the application’s address in authentik.',
  issuer: 'Its configuration is below it, at /.well-known/openid-configuration.',
} satisfies Record<Part, string>)

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    'In the Microsoft Entra admin center, open App registrations and choose New registration.',
    'Supported account types: only accounts in this organizational directory.',
    'Redirect URI: choose Web and paste the address above.',
    'Under Certificates & secrets, create a client secret and copy its value.',
    'From Overview, copy the application (client) ID and the directory (tenant) ID.',
  ],
  okta: [
    'In the Admin Console, open Applications and choose Create App Integration.',
    'Sign-in method: OIDC. Application type: Web Application.',
    'Sign-in redirect URIs: paste the address above.',
    'Assign the users or groups who may sign in.',
    'Copy the client ID and the client secret.',
  ],
  google: [
    'In the Google Cloud console, open Google Auth Platform and set the audience to Internal, so that only your organization can sign in.',
    'Under Clients, create a client of the type Web application.',
    'Authorized redirect URIs: paste the address above.',
    'Copy the client ID and the client secret.',
  ],
  keycloak: [
    'In the admin console, choose your realm, open Clients and choose Create client, type OpenID Connect.',
    'Turn on Client authentication. Of the flows, Standard flow is enough.',
    'Valid redirect URIs: paste the address above.',
    'Copy the client ID, and the client secret from the Credentials tab.',
  ],
  authentik: [
    'In the admin interface, open Applications and choose Create with provider, type OAuth2/OpenID.',
    'Client type: Confidential. Redirect URI: Strict, with the address above.',
    'Copy the client ID, the client secret and the application’s slug.',
  ],
  other: [
    'Create a client (or application) for the authorization code flow, with a client secret.',
    'Redirect URI: paste the address above.',
    'Allow the scopes openid, profile and email.',
    'Copy the client ID, the client secret and the issuer URL.',
  ],
}

/** What to do at a provider, in order. */
export const instructionsOf = (provider: Provider): string[] => guides[provider].map((_, i) => text.guide(provider, i))

export const text = catalogue('sso.text', {
  title: 'Set up single sign-on',
  hint: 'Users sign in with the accounts they have.',
  step: (step: Step) =>
    ({ provider: 'Provider', register: 'Register', connect: 'Connect', users: 'Users', test: 'Test' })[step],
  guide: (provider: Provider, i: number) => guides[provider][i] ?? '',
  back: 'Back',
  next: 'Next',
  providerTitle: 'Where do your users have their accounts?',
  registerTitle: (provider: string) => `Register with ${provider}`,
  registerOther: 'Register with your provider',
  redirect: 'Redirect URI',
  redirectHint: 'Where the provider sends users after they signed in.',
  elsewhere: (origin: string) =>
    `You opened the console at ${origin}. If users do too, set PUBLIC_BASE_URL to it first: the redirect URI is built from that.`,
  insecure: 'Many providers accept only https addresses. This one is built from PUBLIC_BASE_URL.',
  connectTitle: 'What the provider gave you',
  issuer: 'Issuer URL',
  connect: 'Save and connect',
  connected: (issuer: string) => `Connected to ${issuer}`,
  saved: 'Saved, but not connected',
  usersTitle: 'Who can sign in?',
  usersHint: 'Users who are already linked to the provider always can.',
  noVerified: (provider: string) =>
    `${provider} doesn’t say whether an email address was verified. Existing users are linked on their user page, or when they are imported.`,
  linkRisk:
    'Turn this on only if the provider verifies addresses, and if only your organization can create accounts there.',
  groupsTitle: 'Groups (optional)',
  groupsHint: 'Users can join groups here by their groups at the provider. Otherwise, you add them yourself.',
  moreSettings: 'More settings',
  testTitle: 'Sign in once',
  testHint: (name: string) =>
    `Open the sign-in page in a private window and choose “Continue with ${name}”. Stay signed in here.`,
  signInPage: 'Sign-in page',
  waiting: 'Waiting for a sign-in…',
  signedIn: (email: string) => `${email} signed in`,
  refused: (who: string, reason: string) => `${who}: ${reason}`,
  stranger: 'Sign-in failed',
  notProvisioned: 'Accounts aren’t created by signing in. Go back to “Users”, or create the account first.',
  emailInUse: 'A user with this email address exists, but isn’t linked to the provider.',
  finish: 'Done',
})
