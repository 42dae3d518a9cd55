import type * as english from '../../features/settings/sso/messages.ts'
import type { Provider } from '../../features/settings/sso/presets.ts'
import type { Translation } from '../../i18n.ts'

export const providerText: Translation<typeof english.providerText> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'Anderer OpenID-Connect-Anbieter',
}

export const partText: Translation<typeof english.partText> = {
  tenant: 'Verzeichnis-ID (Mandant)',
  domain: 'Okta-Domain',
  base: 'Serveradresse',
  realm: 'Realm',
  slug: 'Slug der Anwendung',
  issuer: 'Issuer-URL',
}

export const partHints: Translation<typeof english.partHints> = {
  tenant: 'Auf der Übersichtsseite der App-Registrierung.',
  domain: 'Zum Beispiel acme.okta.com.',
  base: 'Zum Beispiel https://sso.example.com.',
  realm: 'Der Realm, in dem Ihre Benutzer sind.',
  slug: 'Wie in der Adresse der Anwendung in authentik.',
  issuer: 'Die Konfiguration liegt darunter, bei /.well-known/openid-configuration.',
}

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    'Öffnen Sie im Microsoft Entra Admin Center „App registrations“ und wählen Sie „New registration“.',
    'Supported account types: nur Konten in diesem Organisationsverzeichnis.',
    'Redirect URI: Wählen Sie „Web“ und fügen Sie die Adresse oben ein.',
    'Erstellen Sie unter „Certificates & secrets“ ein Client-Secret und kopieren Sie seinen Wert.',
    'Kopieren Sie aus „Overview“ die Application (client) ID und die Directory (tenant) ID.',
  ],
  okta: [
    'Öffnen Sie in der Admin Console „Applications“ und wählen Sie „Create App Integration“.',
    'Sign-in method: OIDC. Application type: Web Application.',
    'Sign-in redirect URIs: Fügen Sie die Adresse oben ein.',
    'Weisen Sie die Benutzer oder Gruppen zu, die sich anmelden dürfen.',
    'Kopieren Sie die Client-ID und das Client-Secret.',
  ],
  google: [
    'Öffnen Sie in der Google Cloud Console die „Google Auth Platform“ und stellen Sie „Audience“ auf „Internal“, damit sich nur Ihre Organisation anmelden kann.',
    'Erstellen Sie unter „Clients“ einen Client vom Typ „Web application“.',
    'Authorized redirect URIs: Fügen Sie die Adresse oben ein.',
    'Kopieren Sie die Client-ID und das Client-Secret.',
  ],
  keycloak: [
    'Wählen Sie in der Admin-Konsole Ihren Realm, öffnen Sie „Clients“ und wählen Sie „Create client“, Typ „OpenID Connect“.',
    'Schalten Sie „Client authentication“ ein. Von den Flows genügt „Standard flow“.',
    'Valid redirect URIs: Fügen Sie die Adresse oben ein.',
    'Kopieren Sie die Client-ID und aus dem Tab „Credentials“ das Client-Secret.',
  ],
  authentik: [
    'Öffnen Sie in der Admin-Oberfläche „Applications“ und wählen Sie „Create with provider“, Typ „OAuth2/OpenID“.',
    'Client type: Confidential. Redirect URI: Strict, mit der Adresse oben.',
    'Kopieren Sie die Client-ID, das Client-Secret und den Slug der Anwendung.',
  ],
  other: [
    'Erstellen Sie einen Client (oder eine Anwendung) für den Authorization Code Flow, mit einem Client-Secret.',
    'Redirect-URI: Fügen Sie die Adresse oben ein.',
    'Erlauben Sie die Scopes openid, profile und email.',
    'Kopieren Sie die Client-ID, das Client-Secret und die Issuer-URL.',
  ],
}

export const text: Translation<typeof english.text> = {
  title: 'Single Sign-on einrichten',
  hint: 'Benutzer melden sich mit den Konten an, die sie schon haben.',
  step: (step) =>
    ({ provider: 'Anbieter', register: 'Registrieren', connect: 'Verbinden', users: 'Benutzer', test: 'Test' })[step],
  guide: (provider, i) => guides[provider][i] ?? '',
  back: 'Zurück',
  next: 'Weiter',
  providerTitle: 'Wo haben Ihre Benutzer ihre Konten?',
  registerTitle: (provider) => `Bei ${provider} registrieren`,
  registerOther: 'Bei Ihrem Anbieter registrieren',
  redirect: 'Redirect-URI',
  redirectHint: 'Wohin der Anbieter Benutzer nach der Anmeldung schickt.',
  elsewhere: (origin) =>
    `Sie haben die Konsole unter ${origin} geöffnet. Wenn Ihre Benutzer das auch tun, setzen Sie zuerst PUBLIC_BASE_URL darauf: Daraus wird die Redirect-URI gebildet.`,
  insecure: 'Viele Anbieter nehmen nur Adressen mit https an. Diese wird aus PUBLIC_BASE_URL gebildet.',
  connectTitle: 'Was Sie vom Anbieter erhalten haben',
  issuer: 'Issuer-URL',
  connect: 'Speichern und verbinden',
  connected: (issuer) => `Mit ${issuer} verbunden`,
  saved: 'Gespeichert, aber nicht verbunden',
  usersTitle: 'Wer kann sich anmelden?',
  usersHint: 'Benutzer, die schon mit dem Anbieter verknüpft sind, können es immer.',
  noVerified: (provider) =>
    `${provider} gibt nicht an, ob eine E-Mail-Adresse bestätigt wurde. Vorhandene Benutzer werden auf ihrer Benutzerseite oder beim Importieren verknüpft.`,
  linkRisk:
    'Schalten Sie dies nur ein, wenn der Anbieter Adressen bestätigt und nur Ihre Organisation dort Konten erstellen kann.',
  groupsTitle: 'Gruppen (optional)',
  groupsHint:
    'Benutzer können anhand ihrer Gruppen beim Anbieter in Gruppen hier aufgenommen werden. Sonst fügen Sie sie selbst hinzu.',
  moreSettings: 'Weitere Einstellungen',
  testTitle: 'Einmal anmelden',
  testHint: (name) =>
    `Öffnen Sie die Anmeldeseite in einem privaten Fenster und wählen Sie „Weiter mit ${name}“. Bleiben Sie hier angemeldet.`,
  signInPage: 'Anmeldeseite',
  waiting: 'Warten auf eine Anmeldung …',
  signedIn: (email) => `${email} hat sich angemeldet`,
  refused: (who, reason) => `${who}: ${reason}`,
  stranger: 'Anmeldung fehlgeschlagen',
  notProvisioned:
    'Beim Anmelden werden keine Konten erstellt. Gehen Sie zurück zu „Benutzer“ oder erstellen Sie das Konto zuerst.',
  emailInUse: 'Es gibt einen Benutzer mit dieser E-Mail-Adresse, aber er ist nicht mit dem Anbieter verknüpft.',
  finish: 'Fertig',
}
