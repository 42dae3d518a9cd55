import type * as english from '../../features/buckets/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'objet', other: 'objets' })
const days = (n: number) => plural(n, { one: 'jour', other: 'jours' })

export const text: Translation<typeof english.text> = {
  // The list
  title: 'Buckets',
  create: 'Nouveau bucket',
  attach: 'Rattacher un bucket',
  name: 'Nom',
  objects: 'Objets',
  used: 'Utilisé',
  trash: 'En corbeille',
  created: 'Créé',
  emptyTitle: 'Aucun bucket pour le moment',
  emptyHint: 'Les buckets contiennent vos fichiers. Chacun peut avoir son propre quota.',
  noneVisible: 'Vous n’avez encore accès à aucun bucket. Demandez à un administrateur de vous ajouter à un groupe.',
  nameHint: '3 à 63 caractères : lettres minuscules, chiffres, points et tirets.',
  betterName: (name) => `Utiliser « ${name} »`,
  nameShort: 'Utilisez au moins 3 caractères.',
  nameBad:
    'Utilisez des lettres minuscules, des chiffres, des points et des tirets. Commencez et terminez par une lettre ou un chiffre. Pas de points consécutifs ni d’adresse IP.',
  quota: 'Quota (Go)',
  quotaHint: 'Laissez vide pour ne pas limiter. 1 Go vaut 1 073 741 824 octets.',
  storageChoice: 'Où ses octets sont conservés. Il pourra être déplacé plus tard.',
  made: (name) => `Bucket ${name} créé`,
  filter: 'Filtrer par nom',
  count: (n) => plural(n, { one: 'bucket', other: 'buckets' }),

  // Without permissions
  noGroupTitle: 'Vous n’appartenez encore à aucun groupe',
  noGroupHint:
    'Les groupes accordent les autorisations. Demandez à un administrateur de vous ajouter à l’un d’eux. Inutile de vous reconnecter.',
  noRightsTitle: 'Vos groupes ne vous accordent encore aucune autorisation',
  noRightsHint: (groups) =>
    `Vos groupes : ${groups}. Demandez à un administrateur l’accès à un bucket. Inutile de vous reconnecter.`,
  yourAccount: 'Votre compte :',
  lookAgain: 'Vérifier de nouveau',

  // Overview of a bucket
  overview: 'Aperçu',
  upload: 'Envoyer',
  stored: 'Stocké',
  inTrash: 'En corbeille',
  reserved: 'Réservé par des envois inachevés',
  facts: 'À propos de ce bucket',
  quotaFact: 'Quota',
  noQuota: 'Sans limite',
  inVersions: 'En versions antérieures',
  trashKeeps: 'Conservation en corbeille',
  trashOff: 'Désactivée',
  days,
  rights: 'Vos autorisations',
  free: (free) => `${free} libres`,
  usage: 'Utilisation',
  storedOverTime: 'Évolution du stockage',
  transfer: (uploaded, downloaded) => `${uploaded} envoyés et ${downloaded} téléchargés sur cette période.`,
  activity: 'Activité récente',
  noActivity: 'Aucune activité pour le moment.',
  when: 'Quand',
  who: 'Qui',
  what: 'Quoi',
  key: 'Clé',
  result: 'Résultat',
  system: 'Système',
  engine: 'Moteur de stockage',
  anonymous: 'Anonyme',
  success: 'Réussi',
  denied: 'Refusé',
  failure: 'Échec',

  // Settings of a bucket
  settings: 'Paramètres',
  limits: 'Limites',
  below: (used) =>
    `Inférieur à l’utilisation actuelle (${used}). Les fichiers existants restent ; les nouveaux envois seront refusés.`,
  historyQuota: 'Les instantanés conservent au plus (Go)',
  historyQuotaHint:
    'Tant qu’eux seuls conservent davantage, aucun n’est créé. Rien n’est supprimé pour autant. Laissez vide pour ne pas limiter.',
  historyBelow: (kept) =>
    `Moins que ce qu’eux seuls conservent (${kept}). Cela reste ; aucun nouvel instantané n’est créé.`,
  includesHistory: 'Les instantanés comptent dans le quota',
  includesHistoryHint: 'Ce que seuls les instantanés conservent occupe aussi de la place dans le quota.',
  inSnapshots: 'Dans les instantanés',
  trashDays: 'Conservation en corbeille (jours)',
  noTrash: 'Désactiver la corbeille ?',
  noTrashHint:
    'Les fichiers supprimés et remplacés ne pourront plus être restaurés. Ce que le bucket était jusqu’ici est oublié, même si vous réactivez la corbeille.',
  noTrashAction: 'Désactiver',
  trashHint:
    'Durée pendant laquelle les fichiers supprimés ou remplacés peuvent être restaurés. 0 désactive la corbeille.',
  save: 'Enregistrer',
  saved: 'Paramètres enregistrés',
  dirty: 'Modifications non enregistrées',
  storage: 'Stockage',
  storageIs: 'Les nouveaux octets vont sur',
  storageOff: 'Ce stockage est désactivé. Les requêtes sur ce qu’il contient reçoivent une réponse 503.',
  moveOnly: 'Aucun autre stockage n’est activé.',
  move: 'Déplacer vers un autre stockage',
  moveTitle: (bucket) => `Déplacer ${bucket} vers un autre stockage`,
  moveTo: 'Vers le stockage',
  moveAction: 'Déplacer le bucket',
  moveNew: 'Les nouveaux octets y vont dès le début. Le bucket reste utilisable en permanence.',
  moveCopied: 'Chaque blob est copié, relu et comparé à sa somme de contrôle.',
  moveOld: 'Les anciens octets sont supprimés après le délai de grâce.',
  moveCancel: 'Si vous annulez, ce qui a été déplacé y reste ; un nouveau déplacement reprendra la suite.',
  moveStarted: 'Déplacement du bucket en cours',
  // What an attached bucket shows
  source: 'Ce qu’il affiche',
  engineBucket: 'Bucket sur le moteur',
  enginePrefix: 'Préfixe',
  wholeBucket: 'Tout le bucket',
  listed: 'Listé',
  notListed: 'Pas encore. La première analyse n’est pas terminée.',
  listedHint:
    'Les tailles, les nombres et les listes datent de ce moment. Ce que vous ouvrez ou téléchargez est toujours vérifié d’abord sur le moteur.',
  reported: 'Dernière modification signalée',
  notReported: 'Aucune. Les modifications sont trouvées par les analyses.',
  weak: 'Ce moteur n’a pas d’ETags. Une modification qui conserve à la fois la taille et la date d’un objet passe inaperçue.',
  sourceHint: 'Il est en lecture seule : d’ici, rien n’est jamais modifié ni supprimé sur le moteur.',
  sourceTakenOver: 'Où sont ses octets plus anciens',
  takenOver: 'Pris en charge',
  compared: 'Comparé',
  takenOverHint:
    'Ce qui s’y trouvait lors de la prise en charge y reste, et y est supprimé dès que plus rien ici n’en a besoin. Les nouveaux octets n’y vont pas.',
  findingsTitle: (n) =>
    `D’autres ont modifié ${plural(n, { one: 'clé', other: 'clés' })} à l’endroit où ce bucket a été pris en charge`,
  findingsHint: 'Certains de ses objets sont peut-être illisibles à présent.',
  findingsOpen: 'Voir les constats',
  release: 'Libérer le bucket',
  releaseHint: (n) =>
    `Détache le bucket et oublie ses objets (${objects(n)}). Tout reste sur le moteur S3. Les liens de partage vers ces objets cessent de fonctionner.`,
  releaseAdmins: 'Seuls les administrateurs peuvent le libérer.',
  releaseTitle: (bucket) => `Libérer ${bucket} ?`,
  releaseStays: 'Tout reste sur le moteur S3. Rien n’y est modifié.',
  releaseEnds: 'Les liens de partage et les URL présignées vers ses objets cessent de fonctionner.',
  releaseTags: 'Les étiquettes définies ici sont perdues.',
  releaseAgain: 'Vous pourrez le rattacher de nouveau à tout moment.',
  released: (bucket, n) => `Bucket ${bucket} libéré. Restent sur le moteur S3 : ${objects(n)}.`,
  danger: 'Zone de danger',
  emptyBucket: 'Vider le bucket',
  emptyBucketHint: (n, size) => `Supprime en arrière-plan tout le contenu : ${objects(n)} (${size}).`,
  emptyVersionsHint: (n, size) =>
    `Supprime en arrière-plan tout le contenu : ${objects(n)} et toutes les versions antérieures (${size}).`,
  emptyNothing: 'Ce bucket est vide.',
  emptyTrash: (n) =>
    n === 0
      ? 'La corbeille est désactivée : ils ne pourront pas être restaurés.'
      : `Vous pourrez les restaurer depuis la corbeille pendant ${days(n)}.`,
  emptyBucketTitle: (bucket) => `Vider ${bucket} ?`,
  emptyStarted: 'Vidage du bucket en cours',
  showJob: 'Afficher la tâche',
  remove: 'Supprimer le bucket',
  removeHint: 'Supprime aussi sa corbeille. Le nom redevient disponible.',
  removeFirst: (n) => `Seul un bucket vide peut être supprimé. Celui-ci contient ${objects(n)}.`,
  removeTitle: (bucket) => `Supprimer ${bucket} ?`,
  removeText: (trash) => `Supprime définitivement le bucket et sa corbeille (${trash}).`,
  removed: (bucket) => `Bucket ${bucket} supprimé`,
  needsManage: 'Nécessite l’autorisation « manage » sur ce bucket.',
}
