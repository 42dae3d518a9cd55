import type { SignInChange, SignInChanger, Texts } from './en.ts'

const yours = { tokens: 'Ihr Zugriffstoken', access_keys: 'Ihr Zugriffsschlüssel' } as const
const the = { tokens: 'das Zugriffstoken', access_keys: 'der Zugriffsschlüssel' } as const
const another = { tokens: 'ein neues Token', access_keys: 'einen neuen Zugriffsschlüssel' } as const
const who = (by: string | null): string => by ?? 'Ein Administrator'

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => 'Ihr Konto hat jetzt ein Passwort',
  password_changed: () => 'Ihr Passwort wurde geändert',
  password_removed: () => 'Ihr Passwort wurde entfernt',
  app_added: (name) => `Die Authenticator-App „${name}“ wurde zu Ihrem Konto hinzugefügt`,
  app_removed: (name) => `Die Authenticator-App „${name}“ wurde aus Ihrem Konto entfernt`,
  passkey_added: (name) => `Der Passkey „${name}“ wurde zu Ihrem Konto hinzugefügt`,
  passkey_removed: (name) => `Der Passkey „${name}“ wurde aus Ihrem Konto entfernt`,
  factors_removed: () => 'Die Zwei-Faktor-Authentifizierung wurde für Ihr Konto ausgeschaltet',
  codes_replaced: () => 'Ihre Wiederherstellungscodes wurden ersetzt',
  identity_linked: () => 'Ihr Konto wurde mit einem Identitätsanbieter verknüpft',
  identity_unlinked: () => 'Ihr Konto ist nicht mehr mit einem Identitätsanbieter verknüpft',
  address_added: () => 'Dies ist jetzt die E-Mail-Adresse Ihres Kontos',
  address_removed: () => 'Dies ist nicht mehr die E-Mail-Adresse Ihres Kontos',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: 'von Ihnen oder von jemandem, der als Sie angemeldet ist',
  reset_link: 'mit einem Link von „Passwort vergessen?“, der an diese Adresse ging',
  invitation: 'mit dem Link einer Einladung',
  administrator: 'von einem Administrator',
  identity_provider: 'durch eine Anmeldung über den Identitätsanbieter',
}

/** What mails say, in German. */
export const texts: Texts = {
  expiringSubject: ({ kind, name, left }) => `${yours[kind]} „${name}“ läuft ${left} ab`,
  expiring: ({ kind, name, mark, left, at }) => `${yours[kind]} „${name}“ (${mark}) läuft ${left} ab, am ${at}.`,
  expiringHint: (kind) =>
    `Programme, die damit arbeiten, werden dann abgelehnt. Falls sie noch gebraucht werden, erstellen Sie ${another[kind]} und stellen Sie die Programme darauf um:`,
  expiringReason: (kind) => `Sie erhalten diese E-Mail, weil ${the[kind]} Ihnen gehört.`,

  openedSubject: (name) => `Ihr Link zu „${name}“ wurde geöffnet`,
  opened: ({ took, name, bucket, at }) =>
    `Ihr ${took ? 'Upload-Link' : 'Link'} zu „${name}“ im Bucket „${bucket}“ wurde am ${at} zum ersten Mal geöffnet.`,
  openedHint: 'Wer ihn seitdem geöffnet hat, und alles Weitere zu Ihren Links:',
  openedReason: 'Sie erhalten diese E-Mail einmal, weil Sie sie beim Teilen gewünscht haben.',

  invitationSubject: (by) => `${who(by)} hat ein Konto für Sie erstellt`,
  invitation: (by, until) =>
    `${who(by)} hat ein Konto für Sie erstellt. Legen Sie ein Passwort fest, und schon sind Sie dabei. Der Link funktioniert einmal, bis zum ${until}:`,
  invitationReason:
    'Wenn Sie das nicht erwartet haben, ignorieren Sie diese E-Mail: Ohne Passwort kann niemand das Konto verwenden.',

  resetSubject: 'Neues Passwort festlegen',
  reset: (until) =>
    `Jemand hat für Ihr Konto ein neues Passwort angefordert. Wenn Sie es waren, legen Sie jetzt eines fest. Der Link funktioniert einmal, bis ${until}. Danach sind Sie überall sonst abgemeldet:`,
  resetReason: 'Wenn Sie es nicht waren, ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.',

  signInSubject: 'Ihre Anmeldung wurde geändert',
  signInChanged: ({ change, name }) => changed[change](name),
  signInStop: '.',
  signInBy: ({ by, at }) => `Das geschah am ${at}, ${changedBy[by]}.`,
  signInReset:
    'Wenn Sie es nicht waren, kommt vielleicht jemand anderes in Ihr Konto. Legen Sie sofort mit „Passwort vergessen?“ auf der Anmeldeseite ein neues Passwort fest: Das meldet alle ab. Sehen Sie dann Ihr Konto durch und sagen Sie einem Administrator Bescheid:',
  signInAsk:
    'Wenn Sie es nicht waren und nichts davon wissen, sagen Sie sofort einem Administrator Bescheid. Ihr Konto:',
  signInReason: 'Sie erhalten diese E-Mail, weil es um Ihre Anmeldung geht.',

  fillingSubject: (bucket, percent) => `Der Bucket „${bucket}“ ist zu ${percent} voll`,
  filling: ({ bucket, percent, held, quota }) =>
    `Der Bucket „${bucket}“ hat ${percent} seines Kontingents erreicht: ${held} von ${quota}, laufende Uploads eingerechnet.`,
  fillingHint: 'Sobald er voll ist, werden Uploads abgelehnt. Sein Kontingent und sein Inhalt:',
  fillingReason: 'Sie erhalten diese E-Mail, weil Sie Administrator sind.',

  approvalSubject: (agent) => `Der Agent „${agent}“ bittet um Ihre Genehmigung`,
  approval: ({ agent, objects, size }) =>
    objects === 0
      ? `Der Agent „${agent}“ bittet um Ihre Genehmigung. Bis Sie entscheiden, geschieht nichts.`
      : `Der Agent „${agent}“ möchte ${objects} ${objects === 1 ? 'Objekt' : 'Objekte'} ändern (${size}). Bis Sie entscheiden, geschieht nichts.`,
  approvalHint: 'Was genau geschehen würde, und Ihre Entscheidung:',
  approvalReason: 'Sie erhalten diese E-Mail, weil der Agent Ihnen gehört.',

  testSubject: (site) => `Test-E-Mail von ${site}`,
  test: (site) => `Der Versand funktioniert: ${site} hat Ihnen diese E-Mail aus den Einstellungen gesendet.`,
  testReason: 'Sie erhalten diese E-Mail, weil Sie sie angefordert haben.',

  signature: (site, reason) => `${site}. ${reason}`,
}
