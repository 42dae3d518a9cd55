import type * as english from '../../features/browse/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'objet', other: 'objets' })
const folders = (n: number) => plural(n, { one: 'dossier', other: 'dossiers' })
const items = (n: number) => plural(n, { one: 'élément', other: 'éléments' })
const both = (nObjects: number, nFolders: number) =>
  [nFolders > 0 ? folders(nFolders) : '', nObjects > 0 || nFolders === 0 ? objects(nObjects) : '']
    .filter(Boolean)
    .join(', ')
const others = (n: number) => `et ${plural(n, { one: 'autre', other: 'autres' })}`

export const text: Translation<typeof english.text> = {
  // Where one is
  noName: '(sans nom)',
  grid: (folder) => `Contenu de ${folder}`,
  status: (nFolders, nObjects) => both(nObjects, nFolders),
  matches: (nFolders, nObjects, more) =>
    [
      nFolders === 0 ? '' : more.folders ? `plus de ${folders(nFolders)}` : folders(nFolders),
      more.objects
        ? `plus de ${objects(nObjects)}`
        : plural(nObjects, { one: 'objet trouvé', other: 'objets trouvés' }),
    ]
      .filter(Boolean)
      .join(', '),
  capped: (n) => `Seuls les ${formatCount(n)} premiers sont affichés. Lancez une recherche pour trouver les autres.`,
  // Columns
  name: 'Nom',
  size: 'Taille',
  type: 'Type',
  modified: 'Modifié',
  more: 'Actions',
  moreFor: (name) => `Actions pour ${name}`,
  select: (name) => `Sélectionner ${name}`,
  selectAll: 'Tout sélectionner dans ce dossier',
  selectMatches: 'Sélectionner tous les résultats',
  folder: 'Dossier',
  objects: (n) => objects(n),
  moreObjects: (n) => `plus de ${objects(n)}`,
  erased: 'Effacé',
  loadingRow: 'Chargement',
  viewAs: 'Affichage',
  asList: 'Liste',
  asTiles: 'Mosaïque',
  sortBy: (column) => `Trier par ${column}`,
  sortedBy: (column, ascending) => `${column}, tri ${ascending ? 'croissant' : 'décroissant'}`,
  // The bar
  search: 'Rechercher dans ce dossier et ses sous-dossiers',
  clearSearch: 'Effacer la recherche',
  searchBucket: 'Rechercher dans tout le bucket',
  searchEverywhere: 'Rechercher dans tous les buckets',
  answerNotFound: 'Rien ne correspond dans ce dossier et ses sous-dossiers.',
  filters: 'Filtrer les résultats',
  anyKind: 'Tous les types',
  kind: (kind) =>
    ({
      picture: 'Images',
      video: 'Vidéos',
      audio: 'Audio',
      document: 'Documents',
      archive: 'Archives',
      other: 'Autres',
    })[kind],
  anyTime: 'Toutes les dates',
  changedIn: (span) =>
    ({ today: 'Aujourd’hui', '7d': '7 derniers jours', '30d': '30 derniers jours', '1y': 'Dernière année' })[span],
  anySize: 'Toutes les tailles',
  over: (size) => `Plus de ${size}`,
  order: 'Ordre de tri',
  clearFilters: 'Effacer les filtres',
  sortedFirst: (n) => `Seuls les ${formatCount(n)} premiers résultats sont triés. Triez par nom pour les voir tous.`,
  unread: (n, isExact) =>
    `${isExact ? '' : 'Au moins '}${formatCount(n)} objets n’ont pas encore été lus : étiquettes, métadonnées et types ne les trouvent pas.`,
  refresh: 'Actualiser',
  newFolder: 'Nouveau dossier',
  upload: 'Envoyer',
  selected: (n) => plural(n, { one: 'sélectionné', other: 'sélectionnés' }),
  selectedMatches: (search) => `Tous les résultats pour « ${search} » sont sélectionnés`,
  notLoaded: (n) => `dont ${plural(n, { one: 'non chargé', other: 'non chargés' })}`,
  selecting: 'Chargement des lignes intermédiaires…',
  rangeTooLong: (n) =>
    `Vous pouvez sélectionner au plus ${formatCount(n)} lignes à la fois. Sélectionnez tout, puis désélectionnez-en.`,
  clearSelection: 'Effacer la sélection',
  download: 'Télécharger',
  downloadZip: 'Télécharger (zip)',
  copy: 'Copier vers…',
  move: 'Déplacer vers…',
  tag: 'Étiquettes…',
  delete: 'Supprimer',
  rename: 'Renommer…',
  share: 'Partager…',
  open: 'Ouvrir',
  preview: 'Détails',
  copyLink: 'Copier le lien',
  linkCopied: 'Lien copié. Il fonctionne pour les utilisateurs qui ont accès.',
  linkForAnyone: 'Lien pour tous…',
  copyKey: 'Copier le chemin',
  whoHasAccess: 'Qui y a accès',
  copied: 'Copié',
  // States
  emptyOwn: 'Vos dossiers sont vides',
  emptyBucket: 'Ce bucket est vide',
  emptyFolder: 'Ce dossier est vide',
  emptyHint: 'Faites glisser des fichiers ici ou choisissez Envoyer.',
  emptyReadOnly: 'Rien ici pour le moment.',
  emptiedHint: 'Il disparaît quand vous le quittez : un dossier n’existe que tant qu’il contient des objets.',
  arriving: 'Envoi de fichiers en cours',
  arrivingHint: 'Ils apparaissent ici au fur et à mesure.',
  interrupted: 'Rien n’est encore arrivé ici',
  interruptedHint: 'L’envoi dans ce dossier a été interrompu. Vous pouvez le reprendre ci-dessous.',
  growing: 'Aucun objet trouvé pour le moment',
  growingHint:
    'La première analyse de ce bucket n’est pas terminée. Les objets apparaissent à mesure qu’elle les trouve.',
  missing: 'Dossier introuvable',
  missingHint: 'Il a peut-être été déplacé ou supprimé. Un dossier n’existe que tant qu’il contient des objets.',
  toBucket: 'Aller à la racine du bucket',
  dropHere: (place) => `Déposez pour envoyer dans ${place}`,
  dropDenied: (bucket, prefix) =>
    `Vous ne pouvez rien envoyer ici. Nécessite l’autorisation « write » sur ${bucket}/${prefix}`,
  dropReadOnly: (isReleasing) =>
    isReleasing
      ? 'Ce bucket est en cours de libération. D’ici la fin, rien ne peut y être modifié.'
      : 'Ce bucket est en lecture seule : il affiche ce qui est conservé sur un moteur S3.',
  // New folder, rename
  folderName: 'Nom du dossier',
  create: 'Créer',
  taken: 'Un élément de ce nom existe déjà.',
  badName: 'Saisissez un nom de 1 024 octets au maximum, dossier compris.',
  emptyName: 'Chaque dossier du chemin doit avoir un nom : supprimez la barre oblique en trop.',
  newName: 'Nouveau nom',
  renameTitle: (name) => `Renommer ${name}`,
  renameHint: 'Utilisez / pour le déplacer dans un dossier.',
  renameFolderHint: 'Renomme tous les objets du dossier, en arrière-plan.',
  renameDo: 'Renommer',
  renamed: (name) => `Nouveau nom : ${name}`,
  renamedFolder: (name, n) => `Nouveau nom : ${name} (${objects(n)})`,
  showInFolder: 'Afficher dans le dossier',
  // Copy and move
  transferTitle: (kind, nObjects, nFolders) => `${kind === 'copy' ? 'Copier' : 'Déplacer'} ${both(nObjects, nFolders)}`,
  transferAll: (kind) => `${kind === 'copy' ? 'Copier' : 'Déplacer'} tous les résultats`,
  transferDo: (kind) => (kind === 'copy' ? 'Copier ici' : 'Déplacer ici'),
  bucket: 'Bucket',
  conflict: 'Si un objet existe déjà',
  conflictSkip: 'L’ignorer',
  conflictBoth: 'Conserver les deux (le nouveau reçoit un numéro)',
  conflictReplace: 'Le remplacer (l’ancienne version est conservée dans la corbeille ou comme version)',
  pickFolder: 'Choisissez un autre dossier.',
  samePlace: 'Déjà dans ce dossier.',
  intoItself: 'Un dossier ne peut pas être déplacé dans lui-même.',
  noTarget: 'Vous n’avez aucun bucket vers lequel copier.',
  mayNotWrite: 'Nécessite l’autorisation « write » ici.',
  transferSummary: (what, bytes, to) => `${what}${bytes ? ` (${bytes})` : ''} → ${to}`,
  transferred: (kind, n, to) =>
    `${
      kind === 'copy'
        ? plural(n, { one: 'objet copié', other: 'objets copiés' })
        : plural(n, { one: 'objet déplacé', other: 'objets déplacés' })
    } vers ${to}`,
  movedBack: (n) => plural(n, { one: 'objet remis en place', other: 'objets remis en place' }),
  skipped: (n) => plural(n, { one: 'objet ignoré', other: 'objets ignorés' }),
  someFailed: (n) => `${objects(n)} en échec`,
  someFailedList: (lines, more) => [...lines, ...(more > 0 ? [others(more)] : [])].join('\n'),
  // Delete
  deleted: (n) => plural(n, { one: 'objet placé dans la corbeille', other: 'objets placés dans la corbeille' }),
  deletedForGood: (n) => plural(n, { one: 'objet supprimé', other: 'objets supprimés' }),
  restored: (n) => plural(n, { one: 'objet restauré', other: 'objets restaurés' }),
  deleteOne: (name) => `Supprimer ${name} ?`,
  deleteMany: (n) => `Supprimer ${items(n)} ?`,
  deleteAllMatches: 'Supprimer tous les résultats ?',
  deletedTo: (fate) =>
    ({
      trash: 'Les objets supprimés restent un certain temps dans la corbeille du bucket. Vous pouvez les y restaurer.',
      versions: 'Ce bucket conserve les versions : ce qui est supprimé reste comme version antérieure.',
      gone: 'La corbeille est désactivée pour ce bucket. Cette action est irréversible.',
    })[fate],
  deleteAllIn: (folder, n) =>
    n > 0
      ? `Tout le contenu de ${folder}, sous-dossiers compris, sauf ${items(n)}.`
      : `Tout le contenu de ${folder}, sous-dossiers compris.`,
  deleteFound: (search, folder) => `Tous les objets de ${folder} que trouve « ${search} ».`,
  deleteFolders: (n) => plural(n, { one: 'dossier avec tout son contenu.', other: 'dossiers avec tout leur contenu.' }),
  deleteBytes: (n, bytes) => `${objects(n)}, ${bytes}.`,
  andMore: others,
  // Jobs
  working: (kind) =>
    ({
      delete: 'Suppression',
      copy: 'Copie',
      move: 'Déplacement',
      empty_bucket: 'Suppression',
      restore: 'Restauration',
      migrate: 'Déplacement',
      release: 'Libération',
      fork: 'Duplication',
      encrypt: 'Chiffrement',
      decrypt: 'Déchiffrement',
      rollback: 'Rétablissement',
      merge: 'Fusion',
      tag: 'Étiquetage',
    })[kind],
  worked: (kind) =>
    ({
      delete: 'Suppression terminée',
      copy: 'Copie terminée',
      move: 'Déplacement terminé',
      empty_bucket: 'Suppression terminée',
      restore: 'Restauration terminée',
      migrate: 'Déplacement terminé',
      release: 'Libération terminée',
      fork: 'Duplication terminée',
      encrypt: 'Chiffrement terminé',
      decrypt: 'Déchiffrement terminé',
      rollback: 'Rétablissement terminé',
      merge: 'Fusion terminée',
      tag: 'Étiquetage terminé',
    })[kind],
  operation: (kind) =>
    ({
      delete: 'Suppression',
      copy: 'Copie',
      move: 'Déplacement',
      empty_bucket: 'Suppression',
      restore: 'Restauration',
      migrate: 'Déplacement',
      release: 'Libération',
      fork: 'Duplication',
      encrypt: 'Chiffrement',
      decrypt: 'Déchiffrement',
      rollback: 'Rétablissement',
      merge: 'Fusion',
      tag: 'Étiquetage',
    })[kind],
  jobs: 'Tâches',
  progress: (verb, done, total) =>
    total === null ? `${verb}…` : `${verb} : ${formatCount(done)} sur ${formatCount(total)}`,
  jobDone: (verb, n) => `${verb} : ${objects(n)}`,
  jobFailed: (operation, failed) => `${operation} : ${objects(failed)} en échec`,
  jobBroken: (operation) => `${operation} : tâche interrompue`,
  jobCancelled: (operation, n) => `${operation} : tâche annulée après ${objects(n)}`,
  tooManyFolders: (n) =>
    `Vous pouvez sélectionner au plus ${formatCount(n)} dossiers à la fois. Sélectionnez tout, puis désélectionnez-en.`,
  tooManyExcept: (n) => `Vous pouvez désélectionner au plus ${formatCount(n)} éléments après avoir tout sélectionné.`,
  tooManyFound: (n) => `Vous pouvez agir sur ${formatCount(n)} de ces résultats au plus. Affinez la recherche.`,
  // Zip
  zipping: (bytes) => `Zip : ${bytes}`,
  zipTooMany: 'Un zip peut contenir un dossier ou jusqu’à 1 000 objets.',
  fetching: (bytes) => `Téléchargement : ${bytes}`,
  zipStop: 'Annuler le téléchargement',
  timeline: 'Chronologie',
  thePast: 'Le passé',
  dropPast: 'Ceci est le passé. Pour importer, revenez au présent.',
  undelete: 'Annuler la suppression',
  deletedTitle: 'Fichiers supprimés',
  nothingDeleted: 'Rien n’est supprimé dans ce dossier.',
  restorePicked: (n) => `Restaurer ${plural(n, { one: 'élément', other: 'éléments' })}`,
  restoreAll: 'Tout restaurer',
  restoreAllHint: 'Restaure tout ce qui est supprimé dans ce dossier et ses sous-dossiers.',
  tooMuchDeleted: 'Plus de 10 000 fichiers sont supprimés ici. Restaurez les dossiers un par un.',
  backToFolder: 'Retour au dossier',
  deletedAt: 'Supprimé',
  deletedBy: 'Par',
  allDeleted: 'Tous les fichiers supprimés',
  undeleteOf: (name) => `Annuler la suppression de ${name}`,
  undeletedOne: (name) => `${name} est de retour`,
  fullScreen: 'Plein écran',
  shareFolder: 'Partager ce dossier',
  shareBucket: 'Partager ce bucket',
  objectsIn: 'Objets',
  soFar: 'jusqu’ici',
  key: 'Clé',
  // Keys
  keysBrowser: 'Explorateur d’objets',
  keySearch: 'Rechercher',
  keyUpload: 'Envoyer',
  keyNewFolder: 'Nouveau dossier',
  keyRename: 'Renommer',
  keyDownload: 'Télécharger',
  keyShare: 'Partager',
  keyMove: 'Déplacer',
  keyCopy: 'Copier',
  keyDelete: 'Supprimer',
  keyDetails: 'Détails',
  keyFull: 'Plein écran',
  keyRefresh: 'Actualiser',
  keyOpen: 'Ouvrir',
  keyUp: 'Remonter d’un dossier',
  keySelect: 'Sélectionner ou désélectionner',
  keySelectAll: 'Tout sélectionner',
  keyMoveCursor: 'Déplacer le curseur',
  keyRange: 'Sélectionner une plage',
  keyEscape: 'Effacer la sélection, fermer les détails, effacer la recherche',
}
