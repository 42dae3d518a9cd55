import type * as english from '../../features/uploads/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const files = (n: number) => plural(n, { one: 'fichier', other: 'fichiers' })

export const text: Translation<typeof english.text> = {
  files,
  // Dialog
  title: 'Envoyer',
  target: 'Destination',
  dropHere: 'Déposez des fichiers ou des dossiers ici',
  chooseFiles: 'Choisir des fichiers',
  chooseFolder: 'Choisir un dossier',
  reading: (n) => (n === 0 ? 'Lecture des fichiers…' : `Lecture des fichiers : ${files(n)} jusqu’ici…`),
  chosen: (n, size) => `${files(n)}, ${size}`,
  more: (n) => `et ${plural(n, { one: 'autre', other: 'autres' })}`,
  startOver: 'Effacer',
  hidden: 'Ignorer les fichiers cachés',
  hiddenHint: 'Les fichiers commençant par un point et les fichiers système comme Thumbs.db.',
  leftOut: (n) => plural(n, { one: 'fichier caché ignoré', other: 'fichiers cachés ignorés' }),
  emptyFolders: (n) => plural(n, { one: 'dossier vide ignoré', other: 'dossiers vides ignorés' }),
  notRead: (n) =>
    n === 1
      ? 'Le navigateur ne peut pas lire 1 élément, qui ne sera pas envoyé :'
      : `Le navigateur ne peut pas lire ${formatCount(n)} éléments, qui ne seront pas envoyés :`,
  sameName: (n) =>
    n === 1
      ? 'Deux fichiers différents ont été choisis pour 1 nom. Seul le dernier sera envoyé :'
      : `Deux fichiers différents ont été choisis pour chacun de ${formatCount(n)} noms. Seuls les derniers seront envoyés :`,
  nothing: 'Aucun fichier trouvé.',
  willResume: (n, sent, all) =>
    n === 1
      ? `1 envoi interrompu sera repris ; reçu : ${sent} sur ${all}.`
      : `${formatCount(n)} envois interrompus seront repris ; reçu : ${sent} sur ${all}.`,
  ifTaken: 'Si un fichier existe déjà',
  ask: 'Demander',
  replace: 'Remplacer',
  skip: 'Ignorer',
  both: 'Garder les deux',
  noRoom: (free, size) =>
    `Il ne reste que ${free} dans ce bucket, mais vous avez sélectionné ${size}. Les fichiers en trop ne seront pas envoyés.`,
  denied: (n) => `Vous n’avez pas l’autorisation « write » pour ${files(n)}.`,
  upload: (n) => (n === 0 ? 'Envoyer' : `Envoyer ${files(n)}`),
  alreadyUploading: 'Ces fichiers sont déjà en cours d’envoi.',

  // Dock
  uploads: 'Envois',
  indicator: (percent) => `Envois : ${percent} %`,
  uploading: (done, all) => `Envoi : ${formatCount(done)} sur ${files(all)}`,
  heldTitle: (done, all) => `En pause : ${formatCount(done)} sur ${files(all)}`,
  waitingTitle: (done, all) => `En attente : ${formatCount(done)} sur ${files(all)}`,
  finished: (n) => (n === 0 ? 'Aucun fichier envoyé' : plural(n, { one: 'fichier envoyé', other: 'fichiers envoyés' })),
  resumableTitle: (n) => plural(n, { one: 'envoi peut être repris', other: 'envois peuvent être repris' }),
  progress: (sent, all) => `${sent} sur ${all}`,
  arrivedOf: (sent, all) => `Reçu : ${sent} sur ${all}`,
  rate: (rate) => `${rate}/s`,
  left: (time) => `encore ${time}`,
  pauseAll: 'Tout mettre en pause',
  resumeAll: 'Tout reprendre',
  cancelAll: 'Tout annuler',
  cancelAllQuestion: (n) =>
    `${plural(n, { one: 'fichier ne sera pas envoyé', other: 'fichiers ne seront pas envoyés' })}. Les envois terminés restent.`,
  expand: 'Afficher les fichiers',
  collapse: 'Masquer les fichiers',
  closeDock: 'Fermer',
  hideDock: 'Masquer pour l’instant',
  pause: (name) => `Mettre ${name} en pause`,
  resume: (name) => `Reprendre ${name}`,
  retry: (name) => `Réessayer ${name}`,
  cancel: (name) => `Annuler ${name}`,
  retryAll: (n) => `Réessayer ${files(n)}`,
  offline: 'Serveur injoignable. Les envois reprendront automatiquement.',
  bucketFull: (bucket, n, missing) =>
    `« ${bucket} » est plein : ${plural(n, { one: 'fichier non envoyé', other: 'fichiers non envoyés' })}, il manque ${missing}.`,
  bucketStopped: (detail, n) => `${detail} ${plural(n, { one: 'fichier non envoyé', other: 'fichiers non envoyés' })}.`,
  continues: 'Les envois reprennent dès qu’il y a de la place.',
  tryAgain: 'Réessayer',
  conflicts: (n) => `${plural(n, { one: 'fichier existe déjà', other: 'fichiers existent déjà' })}.`,
  decide: 'Vérifier…',
  earlier: 'Envois précédents',
  lost: (n) =>
    n === 1
      ? '1 envoi a été interrompu. Choisissez le même fichier pour le reprendre.'
      : `${formatCount(n)} envois ont été interrompus. Choisissez les mêmes fichiers pour les reprendre.`,
  goOn: 'Reprendre',
  discard: 'Abandonner',
  discardQuestion: (n) =>
    `${plural(n, { one: 'envoi interrompu sera retiré', other: 'envois interrompus seront retirés' })}.`,
  attached: (n) =>
    n === 0
      ? 'Aucun de ces fichiers ne correspond à un envoi interrompu.'
      : plural(n, { one: 'fichier repris', other: 'fichiers repris' }),
  notAllowed: 'Le navigateur a refusé l’accès aux fichiers. Choisissez-les de nouveau.',
  moreRows: (n) => plural(n, { one: 'autre fichier', other: 'autres fichiers' }),
  loose: 'Fichiers individuels',
  groupState: (done, all) => `${formatCount(done)} sur ${formatCount(all)}`,
  showGroup: (name) => `Fichiers de ${name}`,

  // States
  checking: 'Vérification',
  queued: 'En attente',
  held: 'En pause',
  running: 'Envoi',
  noConnection: 'En attente du serveur',
  completing: 'Finalisation',
  full: 'Bucket plein',
  paused: 'En pause',
  error: 'Échec',
  conflict: 'Existe déjà',
  conflictIdentical: 'Existe déjà, identique',
  lostState: 'Choisir le fichier à reprendre',
  done: 'Envoyé',
  skipped: 'Ignoré',
  cancelled: 'Annulé',

  // Conflicts
  conflictsTitle: (n) => plural(n, { one: 'fichier existe déjà', other: 'fichiers existent déjà' }),
  conflictsHint:
    'L’envoi de vos autres fichiers continue. Les versions remplacées vont dans la corbeille, si le bucket en a une.',
  name: 'Nom',
  there: 'Existant',
  identical: 'Identique',
  skipIdentical: (n) => `Ignorer ${formatCount(n)} identiques`,
  yours: 'Nouveau',
  choice: 'Action',
  unknown: 'Inconnu',
  forAll: (n) => `Appliquer aux ${formatCount(n)}`,
  shownFirst: (shown, all) => `Les ${formatCount(shown)} premiers sur ${formatCount(all)} sont affichés`,
  later: 'Décider plus tard',

  // What the engine finds wrong
  badName: 'Ce nom n’est pas autorisé',
  badNameHint: 'Les noms peuvent avoir au plus 1 024 octets, dossiers compris, et aucun caractère nul.',
  unreadable: 'Le fichier n’a pas pu être lu',
  unreadableHint: 'Il a été modifié, déplacé ou supprimé sur cet ordinateur. Choisissez-le de nouveau.',
  otherFile: 'Ce fichier est différent',
  otherFileHint: 'La partie déjà envoyée provient d’un autre fichier.',
  unreachable: 'Connexion perdue',
  unreachableHint: 'La connexion échoue sans cesse. Réessayez plus tard.',

  // Unfinished uploads of a bucket
  unfinished: 'Envois inachevés',
  unfinishedHint:
    'Gros envois qui n’ont pas été terminés. Ils comptent dans le quota jusqu’à leur reprise, leur abandon ou leur expiration.',
  key: 'Clé',
  arrived: 'Envoyé',
  begun: 'Commencé',
  by: 'Commencé par',
  you: 'Vous',
  somebody: 'Autre utilisateur',
  expires: 'Expiration',
  actions: 'Actions',
  unknownSize: 'taille inconnue',
  noneTitle: 'Aucun envoi inachevé',
  noneHint: 'Les envois interrompus apparaissent ici. Vous pouvez les reprendre ou les abandonner.',
  resumeUpload: 'Reprendre',
  resumeHint: (key) => `Choisissez le fichier pour ${key}`,
  wrongSize: (wanted, is) => `Ce fichier fait ${is}, mais l’envoi attend ${wanted}.`,
  cancelThis: 'Abandonner',
  abort: 'Abandonner l’envoi',
  abortTitle: 'Abandonner cet envoi ?',
  abortText: (key, bytes) => `La partie déjà envoyée de « ${key} » (${bytes}) est supprimée.`,
  aborted: 'Envoi abandonné',
  runsHere: 'Dans cette fenêtre',
  open: 'Inachevé',
}
