import type * as english from '../../features/second-factor/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Zwei-Faktor-Authentifizierung',
  hint: 'Ein zweiter Faktor nach Ihrem Passwort, mit einer Authenticator-App oder einem Passkey. Mit den meisten Passkeys können Sie sich auch ohne Passwort anmelden.',
  // Sign-in
  codeHint: 'Öffnen Sie Ihre Authenticator-App und geben Sie den angezeigten Code ein.',
  code: 'Code',
  verify: 'Bestätigen',
  usePasskey: 'Passkey verwenden',
  or: 'oder',
  useRecovery: 'Wiederherstellungscode verwenden',
  recoveryCode: 'Wiederherstellungscode',
  recoveryHint: 'Jeder Wiederherstellungscode funktioniert einmal.',
  otherWay: 'Andere Methode verwenden',
  again: 'Zurück zur Anmeldung',
  noWay:
    'Unter dieser Adresse können Sie keinen Ihrer zweiten Faktoren verwenden. Bitten Sie einen Administrator, sie zurückzusetzen.',
  passkeyFailed:
    'Der Passkey wurde nicht verwendet. Versuchen Sie es noch einmal oder verwenden Sie eine andere Methode.',
  passkeyRefused:
    'Mit diesem Passkey können Sie sich hier nicht anmelden. Verwenden Sie Ihr Passwort oder einen anderen Passkey.',
  passkeyKnown: 'Dieser Passkey ist schon registriert.',
  // Setting it up
  requiredHint:
    'Ihr Administrator verlangt bei der Anmeldung einen zweiten Faktor. Richten Sie einen ein, um fortzufahren.',
  app: 'Authenticator-App',
  passkey: 'Passkey',
  kinds: (kind) => (kind === 'totp' ? 'Authenticator-App' : 'Passkey'),
  alone: (kind) => `${kind}, auch ohne Passwort`,
  useApp: 'Authenticator-App einrichten',
  createPasskey: 'Passkey erstellen',
  passkeyHint: 'Ihr Gerät, Browser oder Sicherheitsschlüssel bittet Sie um Bestätigung.',
  noPasskeys:
    'Passkeys brauchen einen Dienst, der seine Adresse kennt: HTTPS mit einem Hostnamen oder http://localhost in PUBLIC_BASE_URL. Verwenden Sie bis dahin eine Authenticator-App.',
  scan: 'Scannen Sie diesen Code mit Ihrer Authenticator-App und geben Sie dann den angezeigten Code ein.',
  qr: 'QR-Code für Ihre Authenticator-App',
  key: 'Oder geben Sie diesen Schlüssel ein',
  back: 'Zurück',
  // Recovery codes
  recoveryTitle: 'Wiederherstellungscodes',
  recoveryUse:
    'Melden Sie sich mit einem davon an, wenn Sie Ihr Telefon oder Ihren Passkey nicht zur Hand haben. Jeder funktioniert einmal.',
  recoveryAll: 'Alle Codes',
  download: 'Herunterladen',
  recoveryFile: (email) => `Strongroom-Wiederherstellungscodes für ${email}`,
  // Account
  addApp: 'Authenticator-App hinzufügen',
  addPasskey: 'Passkey hinzufügen',
  name: 'Name',
  kind: 'Typ',
  added: 'Hinzugefügt',
  used: 'Zuletzt verwendet',
  add: 'Hinzufügen',
  none: 'Noch nicht eingerichtet. Wer Ihr Passwort kennt, kann sich anmelden.',
  required: 'Ihr Administrator verlangt bei der Anmeldung einen zweiten Faktor.',
  ssoOnly: 'Sie melden sich mit Single Sign-on an. Um den zweiten Faktor kümmert sich Ihr Identitätsanbieter.',
  codesLeft: (n) => `Noch ${plural(n, { one: 'Wiederherstellungscode', other: 'Wiederherstellungscodes' })} übrig.`,
  newCodes: 'Neue Wiederherstellungscodes',
  newCodesHint: 'Ihre bisherigen Codes funktionieren dann nicht mehr.',
  createCodes: 'Erstellen',
  rename: 'Umbenennen',
  renameOf: (name) => `${name} umbenennen`,
  renamed: 'Umbenannt',
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeHint: 'Sie können sich damit nicht mehr anmelden. Ihre Sitzungen laufen weiter.',
  removeLast:
    'Es ist Ihr letzter zweiter Faktor: Danach genügt Ihr Passwort zur Anmeldung. Auch die Wiederherstellungscodes werden gelöscht.',
  removed: (name) => `${name} entfernt`,
  addedNow: (name) => `${name} hinzugefügt`,
  password: 'Aktuelles Passwort',
  proofCode: 'Code oder Wiederherstellungscode',
  proofCodeHint: 'Diese Sitzung hat ohne zweiten Faktor begonnen, Ihr Passwort genügt daher nicht.',
  wrong: 'Falsch oder schon verwendet.',
}
