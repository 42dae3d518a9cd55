import type { Page } from 'playwright-core'
import { accented } from '../../console/src/pseudo-locale.ts'
import type { Demo } from './demo.ts'

/** A screen of the console on the demo: one line each. */
export interface Screen {
  name: string
  /** A description. */
  is: string
  at: string | ((demo: Demo) => string)
  /** A text or heading that is there once the screen is. */
  shows: string | RegExp
  /** The user who sees it; default: an administrator. */
  as?: 'nobody' | 'reader' | 'stranger'
  /** What to do once it is there, for a state without an address. */
  does?: (page: Page) => Promise<unknown>
  /** Error statuses that are expected. */
  expect?: readonly number[]
  /** Dialogs to open, by the button's name. */
  dialogs?: readonly string[]
}

const click = (name: string) => (page: Page) =>
  page
    .getByRole('button', { name })
    .or(page.getByRole('button', { name: accented(name) }))
    .first()
    .click()
const lisbon = '/b/photos?prefix=2026%2Flisbon%2F'

/** Every screen, in the order of the navigation. */
export const screens: readonly Screen[] = [
  { name: 'login', is: 'Sign-in', at: '/login', shows: 'Sign in', as: 'nobody' },
  {
    name: 'invitation',
    is: 'An invitation that has ended',
    at: '/invitation',
    shows: 'This invitation has ended',
    as: 'nobody',
  },
  {
    name: 'forgot-password',
    is: 'A forgotten password, where no mail is sent',
    at: '/forgot-password',
    shows: 'Forgot your password?',
    as: 'nobody',
  },
  {
    name: 'password-reset',
    is: 'A link for a new password that has ended',
    at: '/password-reset',
    shows: 'This link doesn’t work any more',
    as: 'nobody',
  },
  { name: 'no-group', is: 'Somebody in no group yet', at: '/buckets', shows: 'belong to a group yet', as: 'stranger' },
  { name: 'home', is: 'Home', at: '/', shows: 'Largest buckets' },
  { name: 'buckets', is: 'Buckets', at: '/buckets', shows: 'press-kit', dialogs: ['New bucket'] },
  {
    name: 'attach',
    is: 'A bucket of an S3 engine is attached: where it is',
    at: '/buckets/attach',
    shows: 'Where are the objects?',
  },
  { name: 'browse', is: 'Object browser', at: lisbon, shows: 'harbour.jpg', dialogs: ['New folder'] },
  {
    name: 'browse-tiles',
    is: 'Object browser, as tiles',
    at: `${lisbon}&view=grid`,
    shows: 'harbour.jpg',
  },
  {
    name: 'browse-details',
    is: 'Details of an object',
    at: `${lisbon}&sel=2026%2Flisbon%2Fharbour.jpg`,
    shows: 'image/jpeg',
  },
  { name: 'browse-search', is: 'Search below a folder', at: '/b/photos?q=fjord&recursive=1', shows: 'fjord-1.jpg' },
  { name: 'search', is: 'Search of all buckets', at: '/search?q=kind:picture', shows: 'harbour.jpg' },
  { name: 'search-start', is: 'Search of all buckets: how', at: '/search', shows: 'Find objects in all buckets' },
  {
    name: 'browse-read-only',
    is: 'Object browser of somebody who may only read',
    at: '/b/press-kit?prefix=2026%2F',
    shows: 'portrait.jpg',
    as: 'reader',
  },
  { name: 'bucket-overview', is: 'A bucket: overview', at: '/b/photos/overview', shows: 'Recent activity' },
  { name: 'bucket-access', is: 'A bucket: who has access', at: '/b/photos/access', shows: 'Who has access to photos' },
  { name: 'bucket-policy', is: 'A bucket: its policy', at: '/b/photos/policy', shows: 'Policy of this bucket' },
  { name: 'bucket-protection', is: 'A bucket: protection', at: '/b/photos/protection', shows: 'What can be removed' },
  { name: 'bucket-settings', is: 'A bucket: settings', at: '/b/photos/settings', shows: 'Delete bucket' },
  {
    name: 'bucket-uploads',
    is: 'A bucket: unfinished uploads',
    at: '/b/backups/uploads',
    shows: 'mail-server.img',
    dialogs: ['Upload'],
  },
  { name: 'bucket-trash', is: 'A bucket: trash', at: '/b/photos/trash', shows: 'fjord-4.jpg' },
  {
    name: 'browse-past',
    is: 'Object browser, as a folder was',
    at: ({ earlier }) => `${lisbon}&at=${earlier}`,
    shows: 'Back to now',
  },
  {
    name: 'bucket-changes',
    is: 'A bucket: what has changed',
    at: ({ earlier }) => `/b/photos/history?from=${earlier}`,
    shows: 'Changes since',
    dialogs: ['Go back…'],
  },
  {
    name: 'bucket-snapshots',
    is: 'A bucket: snapshots',
    at: '/b/photos/history?tab=snapshots',
    shows: 'Take snapshot',
    dialogs: ['Take snapshot', 'Fork…'],
  },
  { name: 'bucket-connect', is: 'A bucket: settings for S3 clients', at: '/b/photos/connect', shows: 'Endpoint' },
  { name: 'shares', is: 'Share links', at: '/shares', shows: 'harbour.jpg' },
  { name: 'share-new', is: 'A new share link', at: '/shares?new=photos&prefix=2026/lisbon/', shows: 'Create link' },
  {
    name: 'share-each',
    is: 'A link to each of what was found',
    at: '/b/photos?prefix=2026%2Flisbon%2F&q=type%3Aimage%2F*',
    shows: 'lighthouse.jpg',
    does: async (page) => {
      await page.keyboard.press('Control+a')
      await click('Share…')(page)
    },
  },
  { name: 'policies', is: 'Cleanup policies', at: '/policies', shows: 'Last seven backups' },
  {
    name: 'policy-new',
    is: 'A new cleanup policy',
    at: '/policies/new?bucket=logs',
    shows: 'Would be deleted now',
  },
  {
    name: 'policy',
    is: 'A cleanup policy, and what it would delete now',
    at: ({ ids }) => `/policies/${ids.policy}`,
    shows: 'Would be deleted now',
    dialogs: ['Run now…'],
  },
  {
    name: 'policy-run-now',
    is: 'A cleanup policy about to run',
    shows: 'Would be deleted now',
    at: ({ ids }) => `/policies/${ids.policy}`,
    does: click('Run now…'),
  },
  {
    name: 'policy-runs',
    is: 'Runs of a cleanup policy',
    at: ({ ids }) => `/policies/${ids.policy}?tab=runs`,
    shows: 'Succeeded',
  },
  { name: 'jobs', is: 'Jobs', at: '/jobs', shows: 'Succeeded' },
  { name: 'job', is: 'A job of which some failed', at: ({ ids }) => `/jobs/${ids.partly}`, shows: 'market.jpg' },
  { name: 'trash', is: 'Trash', at: '/trash?bucket=photos', shows: 'fjord-4.jpg' },
  { name: 'tokens', is: 'Access tokens', at: '/tokens', shows: 'Site deployment', dialogs: ['New token'] },
  {
    name: 'agents',
    is: 'Agents, and what waits for approval',
    at: '/agents',
    shows: 'Approve',
    dialogs: ['New agent'],
  },
  {
    name: 'agent',
    is: 'An agent: what it has used and did',
    at: ({ ids }) => `/agents/${ids.agent}`,
    shows: 'update_object',
    dialogs: ['Undo what it did…'],
  },
  {
    name: 'connect',
    is: 'A client of the MCP server asks for access',
    at: ({ ids }) => `/connect?request=${ids.request}`,
    shows: 'wants to work with your objects',
  },
  {
    name: 'connect-refused',
    is: 'A client that cannot be connected',
    at: '/connect?problem=invalid_client',
    shows: 'This client can’t be connected',
  },
  { name: 'access-keys', is: 'Access keys', at: '/access-keys', shows: 'No access keys yet' },
  {
    name: 'access-key-new',
    is: 'A new access key for a bucket',
    at: '/access-keys/new?bucket=photos',
    shows: 'Safer in scripts',
  },
  { name: 'account', is: 'Account and sessions', at: '/account', shows: 'This device' },
  { name: 'usage', is: 'Usage', at: '/admin/usage', shows: 'press-kit' },
  {
    name: 'protection',
    is: 'What can be lost, and how to get it back',
    at: '/admin/protection',
    shows: 'Contents of files',
    dialogs: ['Set up mirror…', 'Replicate a bucket…'],
  },
  { name: 'users', is: 'Users', at: '/admin/users', shows: 'Ada Moreau', dialogs: ['New user'] },
  { name: 'user', is: 'A user', at: ({ ids }) => `/admin/users/${ids.user}`, shows: 'ben.okafor@example.com' },
  {
    name: 'user-groups',
    is: 'Groups of a user',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=groups`,
    shows: 'Photo editors',
  },
  {
    name: 'user-permissions',
    is: 'What a user may do, and by which group',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=permissions`,
    shows: 'press-*',
  },
  {
    name: 'user-tokens',
    is: 'Tokens of a user',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=tokens`,
    shows: 'No access tokens',
  },
  {
    name: 'user-keys',
    is: 'Access keys of a user',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=keys`,
    shows: 'No access keys',
  },
  {
    name: 'user-activity',
    is: 'Activity of a user',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=activity`,
    shows: 'Ben Okafor',
  },
  { name: 'users-import', is: 'Import from a directory', at: '/admin/users/import', shows: 'Import users' },
  { name: 'groups', is: 'Groups', at: '/admin/groups', shows: 'Photo editors', dialogs: ['New group'] },
  {
    name: 'group-members',
    is: 'Members of a group',
    at: ({ ids }) => `/admin/groups/${ids.group}`,
    shows: 'Ada Moreau',
  },
  {
    name: 'group-permissions',
    is: 'Rights of a group',
    at: ({ ids }) => `/admin/groups/${ids.group}?tab=permissions`,
    shows: 'Bucket permissions',
  },
  { name: 'storages', is: 'Storages', at: '/admin/storages', shows: 'Reachable' },
  { name: 'storage-new', is: 'A new storage', at: '/admin/storages/_new', shows: 'Stored encrypted and never shown.' },
  { name: 'storage', is: 'A storage', at: '/admin/storages/default', shows: 'Reachable' },
  { name: 'roles', is: 'Roles', at: '/admin/roles', shows: 'Publishes the site' },
  { name: 'role-new', is: 'A new role', at: '/admin/new-role', shows: 'Create role' },
  {
    name: 'role',
    is: 'The policies of a role',
    at: '/admin/roles/Deploy',
    shows: 'tidy-up',
    dialogs: ['New policy of their own'],
  },
  { name: 'role-trust', is: 'Who may take on a role', at: '/admin/roles/Deploy?tab=trust', shows: 'Allows' },
  {
    name: 'role-connect',
    is: 'How programs take on a role',
    at: '/admin/roles/Deploy?tab=connect',
    shows: 'AWS_WEB_IDENTITY_TOKEN_FILE',
  },
  {
    name: 'identity-policies',
    is: 'Policies that can be attached',
    at: '/admin/roles?tab=policies',
    shows: 'SiteAssets',
  },
  {
    name: 'identity-policy-new',
    is: 'A new policy that can be attached',
    at: '/admin/new-identity-policy',
    shows: 'Create policy',
  },
  {
    name: 'identity-policy',
    is: 'A policy with its versions',
    at: ({ ids }) => `/admin/identity-policies/${ids.identityPolicy}`,
    shows: 'Put in force',
  },
  {
    name: 'oidc-providers',
    is: 'Identity providers of programs',
    at: '/admin/roles?tab=providers',
    shows: 'sts.amazonaws.com',
    dialogs: ['Add identity provider'],
  },
  {
    name: 'user-policies',
    is: 'The policies of a user',
    at: ({ ids }) => `/admin/users/${ids.user}?tab=policies`,
    shows: 'No policy is attached.',
  },
  {
    name: 'machine-sessions',
    is: 'Sessions of machines',
    at: '/admin/machine-sessions',
    shows: 'No sessions',
  },
  {
    name: 'simulate',
    is: 'How a request would be decided',
    at: '/admin/groups?tab=simulate&who=anonymous&bucket=photos&key=a.jpg',
    shows: 'Nothing allows it',
  },
  { name: 'kms-keys', is: 'Encryption keys', at: '/admin/kms-keys', shows: 'No keys registered' },
  { name: 'kms-key-new', is: 'A new encryption key', at: '/admin/kms-keys/new', shows: 'Test and register' },
  { name: 'webhooks', is: 'Webhooks', at: '/admin/webhooks', shows: 'Search index' },
  { name: 'webhook-new', is: 'A new webhook', at: '/admin/webhooks/new', shows: 'Create webhook' },
  {
    name: 'webhook',
    is: 'A webhook',
    at: ({ ids }) => `/admin/webhooks/${ids.webhook}`,
    shows: 'Rotate…',
    dialogs: ['Rotate…'],
  },
  {
    name: 'webhook-deliveries',
    is: 'Deliveries of a webhook',
    at: ({ ids }) => `/admin/webhooks/${ids.webhook}?tab=deliveries`,
    shows: 'Failed',
  },
  {
    name: 'webhook-delivery',
    is: 'A delivery and its attempts',
    shows: 'Raw',
    at: ({ ids }) => `/admin/webhooks/${ids.webhook}?tab=deliveries&d=${ids.failed}`,
  },
  { name: 'audit', is: 'Audit log', at: '/admin/audit', shows: 'token_create', dialogs: ['Verify'] },
  { name: 'settings', is: 'Settings: signing in', at: '/admin/settings', shows: 'Sign-in' },
  {
    name: 'settings-provider',
    is: 'Settings: identity provider',
    at: '/admin/settings?tab=idp',
    shows: 'Identity provider',
  },
  {
    name: 'settings-sso',
    is: 'Single sign-on, set up step by step',
    at: '/admin/settings/sso?provider=keycloak&step=register',
    shows: 'Valid redirect URIs: paste the address above.',
  },
  {
    name: 'settings-branding',
    is: 'Settings: name and logo',
    at: '/admin/settings?tab=branding',
    shows: 'Choose image',
  },
  {
    name: 'settings-encryption',
    is: 'Settings: encryption',
    at: '/admin/settings?tab=encryption',
    shows: 'New buckets',
  },
  { name: 'settings-trash', is: 'Settings: trash', at: '/admin/settings?tab=trash', shows: 'Trash' },
  {
    name: 'settings-audit',
    is: 'Settings: audit log',
    at: '/admin/settings?tab=audit',
    shows: 'Record changes in attached buckets',
  },
  { name: 'not-found', is: 'An address that leads nowhere', at: '/nowhere', shows: 'Page not found' },
  {
    name: 'forbidden',
    is: 'A view that somebody may not have',
    at: '/admin/audit',
    shows: 'You don’t have permission to view this',
    as: 'reader',
  },
  {
    name: 'link-file',
    is: 'A share link to a file',
    at: ({ links }) => `/s/${links.file}`,
    shows: 'harbour.jpg',
    as: 'nobody',
  },
  {
    name: 'link-folder',
    is: 'A share link to a folder',
    at: ({ links }) => `/s/${links.folder}`,
    shows: 'dunes.jpg',
    as: 'nobody',
  },
  {
    name: 'link-inbox',
    is: 'A share link that takes files',
    at: ({ links }) => `/s/${links.inbox}`,
    shows: 'inbox',
    as: 'nobody',
  },
  {
    name: 'link-locked',
    is: 'A share link with a password',
    at: ({ links }) => `/s/${links.locked}`,
    shows: 'Password',
    as: 'nobody',
    expect: [401],
  },
  {
    name: 'link-gone',
    is: 'A share link that ended',
    at: ({ links }) => `/s/${links.gone}`,
    shows: 'This link is no longer available',
    as: 'nobody',
    expect: [410],
  },
  {
    name: 'palette',
    is: 'Command palette',
    at: '/buckets',
    shows: 'press-kit',
    does: (page) => page.keyboard.press('Control+k'),
  },
  {
    name: 'shortcuts',
    is: 'Keyboard shortcuts',
    at: '/buckets',
    shows: 'press-kit',
    does: (page) => page.keyboard.press('?'),
  },
  { name: 'account-menu', is: 'Menu of the account', at: '/buckets', shows: 'press-kit', does: click('Account') },
]

/** The address of a screen. */
export const addressOf = ({ at }: Screen, demo: Demo): string => (typeof at === 'string' ? at : at(demo))
