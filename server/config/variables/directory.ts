import { httpUrl, oneOf } from './readers.ts'

/** The variables of the directory that users are imported from. */
export const directoryVariables = {
  DIRECTORY_KIND: {
    summary: 'Directory to import users from: `msgraph`, `keycloak` or `scim2`. Default: `msgraph` with Entra.',
    setting: 'directory.kind',
    default: '',
    read: oneOf('', 'msgraph', 'keycloak', 'scim2'),
  },
  DIRECTORY_URL: {
    summary: 'Graph host, Keycloak base URL, or SCIM base URL (without `/Users`).',
    setting: 'directory.url',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  DIRECTORY_TOKEN_URL: {
    summary: 'Token endpoint for directory access. Default: Entra’s or the Keycloak realm’s.',
    setting: 'directory.token_url',
    default: '',
    read: (text: string) => (text === '' ? '' : httpUrl(text)),
  },
  DIRECTORY_CLIENT_ID: {
    summary: 'Client id for the directory. Default: IDP_CLIENT_ID.',
    setting: 'directory.client_id',
    default: '',
    read: String,
  },
  DIRECTORY_CLIENT_SECRET: {
    secret: true,
    summary: 'Client secret for the directory. Default: IDP_CLIENT_SECRET.',
    setting: 'directory.client_secret',
    default: '',
    read: String,
  },
  DIRECTORY_REALM: { summary: 'Keycloak realm.', setting: 'directory.realm', default: '', read: String },
  DIRECTORY_BEARER_TOKEN: {
    secret: true,
    summary: 'Fixed token for SCIM, instead of client credentials.',
    setting: 'directory.bearer_token',
    default: '',
    read: String,
  },
  SCIM_SUBJECT_ATTR: {
    summary: 'SCIM attribute that the subject claim of logins contains: `id`, `externalId` or `userName`.',
    setting: 'directory.subject_attribute',
    default: '',
    read: oneOf('', 'id', 'externalId', 'userName'),
  },
}
