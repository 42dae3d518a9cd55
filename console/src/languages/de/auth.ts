import type * as english from '../../features/auth/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Anmelden',
  email: 'E-Mail',
  password: 'Passwort',
  signIn: 'Anmelden',
  continueWith: (name) => `Weiter mit ${name}`,
  provider: 'Single Sign-on',
  or: 'oder',
  bothOff: 'Alle Anmeldemethoden sind ausgeschaltet',
  bothOffHint:
    'Führen Sie auf dem Server `strongroom enable-local-login` aus, um die Anmeldung mit Passwort wieder einzuschalten.',
  sessionEnded: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.',
  failed: 'Anmeldung fehlgeschlagen',
  failedHint: 'Der Identitätsanbieter hat die Anmeldung abgebrochen.',
  notProvisionedHint: 'Bitten Sie Ihren Administrator, Sie hinzuzufügen.',
  signedIn: 'Sie sind angemeldet',
  signedInHint: 'Gehen Sie zurück zu dem Tab, in dem Sie waren. Diesen können Sie schließen.',
  openConsole: 'Konsole öffnen',
  again: 'Zurück zur Anmeldung',
  finishing: 'Sie werden angemeldet …',
  language: 'Sprache',
  firstStart:
    'Erster Start? Der Server hat ausgegeben, wie man sich anmeldet. Ein selbst gesetztes Passwort gibt er nicht aus.',
  setupTitle: 'Strongroom einrichten',
  setupHint: 'Erstellen Sie das erste Administratorkonto. Dieser Link funktioniert nur einmal.',
  setUpAlready: 'Die Einrichtung ist schon abgeschlossen',
  setUpAlreadyHint: 'Es gibt schon ein Administratorkonto.',
  noAdmin: 'Noch kein Administrator',
  findLink:
    'Der Server hat beim Start einen Link zur Einrichtung ausgegeben. Sie finden ihn in der Ausgabe oder im Log. Verwenden Sie den neuesten:',
  database: 'Datenbank',
  storage: 'Speicher',
  answers: 'Verbunden',
  silent: 'Nicht erreichbar',
  asking: 'Wird geprüft …',
  adminEmail: 'E-Mail des Administrators',
  name: 'Name (optional)',
  passwordRule: (bytes) =>
    bytes > 72
      ? `Zu lang: ${bytes} Byte, höchstens 72.`
      : bytes > 0 && bytes < 8
        ? 'Zu kurz. Verwenden Sie mindestens 8 Zeichen.'
        : 'Mindestens 8 Zeichen.',
  createAdmin: 'Konto erstellen und anmelden',
  newPassword: 'Neues Passwort',
  newPasswordAgain: 'Neues Passwort wiederholen',
  differ: 'Die Passwörter stimmen nicht überein.',
  replaceTitle: 'Neues Passwort festlegen',
  replaceHint: 'Ihr Passwort wurde von einem Administrator festgelegt. Ersetzen Sie es, um fortzufahren.',
  replace: 'Speichern und anmelden',
  invitationTitle: 'Willkommen bei Strongroom',
  invitationHint: (name) => `${name}, legen Sie ein Passwort für Ihr Konto fest.`,
  acceptInvitation: 'Speichern und anmelden',
  invitationOver: 'Diese Einladung gilt nicht mehr',
  invitationOverHint:
    'Sie ist abgelaufen, wurde schon verwendet oder durch eine neuere ersetzt. Wenn Sie schon ein Passwort festgelegt haben, melden Sie sich damit an. Bitten Sie sonst um eine neue Einladung.',
  toSignIn: 'Zur Anmeldung',
  passkeySignIn: 'Mit Passkey anmelden',
  forgot: 'Passwort vergessen?',
  forgotTitle: 'Passwort vergessen?',
  forgotHint: 'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten einen Link, mit dem Sie ein neues Passwort festlegen.',
  sendLink: 'Link senden',
  linkSentTitle: 'Sehen Sie in Ihren E-Mails nach',
  linkSent: (email) =>
    `Wenn ${email} zu einem Konto mit Passwort gehört, ist ein Link unterwegs, mit dem Sie ein neues festlegen. Er gilt eine Stunde.`,
  linkSentHint:
    'Nichts angekommen? Sehen Sie im Spam-Ordner nach oder fragen Sie einen Administrator. Wenn Sie Single Sign-on verwenden, haben Sie hier kein Passwort.',
  noMail:
    'Dieser Dienst kann keine E-Mails senden. Fragen Sie einen Administrator: Er kann unter „Benutzer“ ein neues Passwort für Sie festlegen.',
  noMailAdmin: 'Administratoren führen auf dem Server `strongroom reset-password` mit ihrer E-Mail-Adresse aus.',
  noPasswords:
    'Hier meldet sich niemand mit einem Passwort an. Wenn Sie keinen Zugang mehr haben, fragen Sie die Verantwortlichen Ihres Single Sign-on.',
  resetTitle: 'Neues Passwort festlegen',
  resetHint: 'Sie werden überall sonst abgemeldet. Ihr zweiter Faktor bleibt, wie er ist.',
  resetOver: 'Dieser Link gilt nicht mehr',
  resetOverHint: 'Er ist abgelaufen oder wurde schon verwendet, oder Ihr Passwort wurde seitdem geändert.',
  askAgain: 'Neuen Link anfordern',
}
