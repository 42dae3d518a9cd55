import type * as english from '../../features/storages/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const buckets = (n: number) => plural(n, { one: 'bucket', other: 'buckets' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Stockages',
  hint: 'Là où se trouvent les octets des buckets : moteurs compatibles S3 et dossiers.',
  add: 'Ajouter un stockage',
  // The list
  name: 'Nom',
  isDefault: 'Par défaut',
  kind: 'Type',
  kindName: (kind) => ({ s3: 'S3', file: 'Dossier' })[kind],
  where: 'Emplacement',
  aws: 'AWS',
  buckets: 'Buckets',
  used: 'Utilisé',
  health: 'État',
  reachable: 'Joignable',
  reachedIn: (ms) => `Réponse en ${formatCount(ms)} ms`,
  slow: 'Lent',
  unreachable: 'Injoignable',
  noticed: 'Constaté',
  off: 'Désactivé',
  checking: 'Vérification…',
  free: 'Libre',
  // What is attached to it
  attached: 'Buckets rattachés',
  attachedNone: 'Aucun',
  attach: 'Rattacher un bucket',
  // One storage
  about: 'À propos de ce stockage',
  created: 'Créé',
  defaultHint: 'Configuré avec STORAGE_URL : il ne peut donc pas être modifié ni supprimé ici.',
  connection: 'Connexion',
  save: 'Enregistrer',
  saved: 'Stockage enregistré',
  refused: 'Rien n’a été enregistré',
  danger: 'Zone de danger',
  turnOff: 'Désactiver',
  turnOffHint:
    'Tant qu’il est désactivé, les requêtes sur ce qu’il contient reçoivent une réponse 503. Rien n’y est modifié.',
  turnOffTitle: (name) => `Désactiver ${name} ?`,
  turnOffText: (n) =>
    n === 0
      ? 'Il ne pourra pas être utilisé avant d’être réactivé. Les requêtes sur ce qu’il contient reçoivent une réponse 503.'
      : `Les requêtes sur ce qu’il contient reçoivent une réponse 503 jusqu’à ce qu’il soit réactivé. Cela concerne ${buckets(n)}.`,
  turnedOff: (name) => `Stockage ${name} désactivé`,
  turnOn: 'Activer',
  isOff: 'Ce stockage est désactivé. Les requêtes sur ce qu’il contient reçoivent une réponse 503.',
  turnedOn: (name) => `Stockage ${name} activé`,
  remove: 'Supprimer le stockage',
  removeHint: 'Le retire de cette liste. Les autres objets au même endroit restent.',
  removeFirst: (n) =>
    `Seul un stockage sans buckets peut être supprimé. Déplacez ou libérez d’abord ceux qu’il contient : ${buckets(n)}.`,
  removeTitle: (name) => `Supprimer ${name} ?`,
  removeText: 'Retire le stockage et ses identifiants de Strongroom. Les autres objets au même endroit restent.',
  removed: 'Stockage supprimé',
}

export const roomText: Translation<typeof english.roomText> = {
  title: 'Espace disque',
  of: (disk) => ({ database: 'Base de données', storage: 'Objets' })[disk],
  both: 'Base de données et objets',
  free: 'Libre :',
  state: (state) => ({ room: 'Suffisant', nearly_full: 'Bientôt plein', short: 'Presque plein' })[state],
  refused:
    'Les envois sont refusés tant qu’il n’y a pas de place. Téléchargements, connexion et suppressions fonctionnent.',
  soon: 'Moins d’un dixième est libre. Quand le disque sera presque plein, les envois seront refusés.',
  emptyTrash: 'Vider la corbeille.',
  emptyTrashHint: 'Tant que le disque est presque plein, la place est libérée aussitôt, sinon après le délai de grâce.',
  cleanUp: 'Supprimer ce qui ne sert plus,',
  cleanUpHint:
    'par exemple avec une règle de nettoyage, puis vider la corbeille. Les versions et les objets verrouillés restent jusqu’à leur terme.',
  move: 'Ajouter un stockage qui a de la place',
  moveHint: 'et y déplacer un bucket, dans les paramètres du bucket.',
  enlarge: 'Ou agrandir le disque. Aucun redémarrage n’est nécessaire.',
}

export const formText: Translation<typeof english.formText> = {
  newTitle: 'Ajouter un stockage',
  newHint: 'Rien n’y est écrit avant la création du premier bucket.',
  place: 'Emplacement',
  nameHint: 'Lettres minuscules, chiffres, tirets. Ne peut pas être modifié.',
  nameBad:
    'Utilisez jusqu’à 63 lettres minuscules, chiffres et tirets. Commencez et terminez par une lettre ou un chiffre.',
  endpoint: 'Point de terminaison',
  endpointHint: 'URL du moteur S3, avec http:// ou https://. Laissez vide pour AWS.',
  region: 'Région',
  bucket: 'Bucket',
  prefix: 'Préfixe',
  prefixHint: 'Laissez vide pour tout le bucket.',
  style: 'Adressage',
  styleName: (style) =>
    ({ auto: 'Automatique', path: 'Bucket dans le chemin', host: 'Bucket dans le nom d’hôte' })[style],
  styleHint: 'Automatique : dans le chemin s’il y a un point de terminaison.',
  folder: 'Dossier',
  folderHint: 'Un chemin absolu dans l’un des dossiers indiqués par STORAGE_FOLDERS.',
  credentials: 'Identifiants',
  credentialsHint: 'Laissez vide pour les sources habituelles du SDK AWS.',
  keyId: 'ID de clé d’accès',
  secret: 'Clé d’accès secrète',
  secretHint: 'Conservée chiffrée et jamais affichée.',
  badForm: 'Format non valide.',
  action: 'Ajouter le stockage',
  refused: 'Ce stockage ne peut pas être ajouté',
  added: (name) => `Stockage ${name} ajouté`,
}

export const testText: Translation<typeof english.testText> = {
  title: 'Test',
  hint: 'Essaie tout ce dont un bucket a besoin. Rien n’y reste.',
  hintSaved: 'Essaie les paramètres enregistrés. Rien n’y reste.',
  action: 'Tester',
  again: 'Tester de nouveau',
  passed: 'Test réussi',
  warned: 'Réussi avec avertissements',
  failed: 'Échec du test',
  stale: 'Les paramètres ont changé depuis ce test.',
  checks: 'Vérifications',
  check: (name) =>
    ({
      reach: 'Connexion',
      list: 'Liste des objets',
      order: 'Ordre des clés',
      head: 'Propriétés',
      read: 'Lecture',
      if_match: 'Conditions',
      clock: 'Horloge',
      versioning: 'Versions',
      write: 'Écriture et suppression',
    })[name],
  status: (status) => ({ passed: 'Réussi', warning: 'Avertissement', failed: 'Échec', skipped: 'Ignoré' })[status],
  preview: 'Premiers objets',
  key: 'Clé',
  size: 'Taille',
  modified: 'Modifié',
}

export const eventsText: Translation<typeof english.eventsText> = {
  title: 'Notifications d’événements',
  on: 'Jeton défini',
  off: 'Désactivées',
  hintOff:
    'Avec un jeton, le moteur S3 peut signaler les modifications des buckets rattachés au fur et à mesure. Sans jeton, elles sont trouvées par des analyses toutes les heures.',
  hintOn:
    'Le moteur S3 peut signaler les modifications des buckets rattachés au fur et à mesure. Des analyses ont toujours lieu, une fois par jour tant que des signalements arrivent.',
  create: 'Créer un jeton',
  replace: 'Remplacer le jeton',
  replaceTitle: 'Remplacer ce jeton ?',
  replaceText: 'Les signalements avec le jeton actuel sont désormais refusés. Configurez le moteur avec le nouveau.',
  delete: 'Supprimer le jeton',
  deleteTitle: 'Supprimer ce jeton ?',
  deleteText:
    'Les signalements du moteur sont refusés. Les modifications sont trouvées par des analyses toutes les heures.',
  deleted: 'Jeton supprimé',
  token: 'Jeton',
  url: 'URL pour le moteur',
  bearer:
    'Configurez le moteur pour qu’il envoie ses notifications d’événements à cette URL, avec le jeton comme jeton Bearer.',
  urlWithToken: 'URL contenant le jeton',
  inUrl: 'Pour les moteurs qui ne peuvent pas envoyer de jeton séparé, comme Ceph.',
}
