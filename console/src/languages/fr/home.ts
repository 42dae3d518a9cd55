import type * as english from '../../features/home/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Accueil',
  // First steps
  firstSteps: 'Terminer la configuration',
  progress: (done, all) => `${plural(done, { one: 'étape', other: 'étapes' })} sur ${formatCount(all)}`,
  hide: 'Masquer',
  password: 'Remplacer le mot de passe généré',
  passwordHint: 'Le service l’a affiché : il peut figurer dans un journal.',
  bucket: 'Créer un bucket',
  bucketHint: 'Ou en rattacher un qui se trouve déjà sur un moteur S3.',
  people: 'Ajouter des utilisateurs',
  peopleHint: 'Créez des comptes, et des groupes qui définissent qui peut faire quoi.',
  sso: 'Configurer l’authentification unique',
  ssoHint: 'Les utilisateurs se connectent avec les comptes qu’ils ont déjà.',
  client: 'Connecter un client S3',
  clientHint: 'Créez une clé d’accès pour rclone, l’AWS CLI ou vos sauvegardes.',
  webhook: 'Envoyer des événements à un webhook',
  webhookHint: 'Informez vos propres services de ce qui change ici.',
  done: 'Fait',
  open: 'À faire',
  // Key figures
  buckets: 'Buckets',
  objects: 'Objets',
  stored: 'Stocké',
  inTrash: 'En corbeille',
  withoutFolders: 'Hors buckets où vous n’avez que des dossiers',
  // Attention
  attention: 'À surveiller',
  nothing: 'Rien ne demande votre attention.',
  diskShort: 'Le disque est presque plein. Les envois sont refusés tant qu’il n’y a pas de place.',
  diskNearlyFull: (free) => `Le disque se remplit : il reste ${free}.`,
  storageDown: (name) => `Le stockage ${name} est injoignable.`,
  historyFull: (bucket) => `Les instantanés du bucket ${bucket} conservent plus que la limite. Aucun n’est plus créé.`,
  full: (bucket) => `Le bucket ${bucket} est plein. Les nouveaux envois sont refusés.`,
  nearlyFull: (bucket, share) => `Le bucket ${bucket} est plein à ${share}.`,
  webhookOff: (name) => `Le webhook ${name} a été désactivé après trop d’échecs.`,
  webhookFailing: (name) => `Le webhook ${name} échoue. Premier échec :`,
  webhookFails: (name, n) =>
    `${plural(n, { one: 'livraison', other: 'livraisons' })} au webhook ${name} en échec ces dernières 24 heures.`,
  tokenExpires: (name) => `Le jeton d’accès ${name} expire bientôt :`,
  keyExpires: (name) => `La clé d’accès ${name} expire bientôt :`,
  scanHeld: (bucket) => `Une analyse de ${bucket} attend d’être confirmée.`,
  findings: (bucket, n) =>
    `D’autres ont modifié ${plural(n, { one: 'objet', other: 'objets' })} de ${bucket} sur son moteur.`,
  // Work in progress, buckets
  running: 'Tâches en cours',
  largest: 'Plus gros buckets',
  allBuckets: 'Tous les buckets',
}
