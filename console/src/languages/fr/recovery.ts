import type * as english from '../../features/recovery/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const copies = (n: number) => plural(n, { one: 'copie', other: 'copies' })
const days = (n: number) => plural(n, { one: 'jour', other: 'jours' })

export const text: Translation<typeof english.text> = {
  title: 'Protection',
  hint: 'Que peut-on perdre, et comment le récupérer ?',
  right: 'admin',
  // Contents of files
  contents: 'Contenu des fichiers',
  oneCopy: (mirrored) => `Il n’y a qu’une copie. Si ${mirrored} est perdu, son contenu est perdu.`,
  twoCopies: (mirror) => `Tout a une seconde copie sur ${mirror}.`,
  filling: (mirror) =>
    `Ce qui était déjà là est encore en cours de copie vers ${mirror}. Si cet endroit est perdu maintenant, le reste est perdu.`,
  due: (n, mirror) =>
    `Pas encore sur ${mirror} : ${copies(n)}. Si cet endroit est perdu maintenant, elles sont perdues.`,
  oldest: 'La plus ancienne est attendue depuis',
  acknowledges: (acknowledge) =>
    acknowledge === 'one'
      ? 'Un import est terminé quand une copie est écrite. L’autre suit.'
      : 'Un import est terminé quand les deux copies sont écrites.',
  whenDown: (down) =>
    down === 'refuse'
      ? 'Si un endroit est en panne, les imports sont refusés.'
      : 'Si un endroit est en panne, les imports continuent avec une copie.',
  keeps: (n) =>
    n === 0 ? 'Ce qui est retiré l’est des deux.' : `Ce qui est retiré reste sur le miroir pendant ${days(n)}.`,
  locks: (mirror) =>
    `${mirror} verrouille les copies (Object Lock) : d’ici là, personne ne peut les y détruire, même avec ses clés.`,
  wayBack: (name, mirror) => `Si ${name} est perdu : basculez vers ${mirror}. Rien n’est copié.`,
  switched: (place) => `Basculé : le contenu est lu d’abord à l’endroit de ${place}.`,
  neverRead: 'Jamais lu en entier pour chercher des dommages.',
  reading: 'En cours de lecture complète pour chercher des dommages, depuis',
  readWhole: (checked) => `Lu en entier : ${copies(checked)}, aucun dommage.`,
  readDamaged: (checked, damaged) =>
    `Lu en entier : ${copies(checked)}, dont ${formatCount(damaged)} manquantes ou endommagées.`,
  repairs: 'Afficher les réparations',
  setUp: 'Configurer un miroir…',
  change: 'Modifier le miroir…',
  switchTo: (mirror) => `Basculer vers ${mirror}…`,
  switchTitle: (name, mirror) => `Basculer ${name} vers ${mirror} ?`,
  switchText: (name, mirror) =>
    `Tout est alors lu sur ${mirror} et écrit d’abord là. ${name} devient le miroir et reçoit ce qui lui manque. Le même bouton permet de revenir.`,
  switchMissing: (n) => `Ce qui n’y est pas encore (${copies(n)}) ne pourra être lu qu’au retour de l’autre endroit.`,
  switchDo: 'Basculer',
  switchedTo: (mirror) => `Basculé vers ${mirror}`,
  // The dialog of a mirror
  mirrorTitle: (name) => `Miroir de ${name}`,
  mirrorHint:
    'Un second endroit pour tous ses octets, de préférence sur une autre machine. Ce qui est déjà là est copié en arrière-plan.',
  mirror: 'Stockage de la seconde copie',
  noOther: 'Il n’y a pas encore d’autre stockage. Enregistrez-en un d’abord.',
  register: 'Enregistrer un stockage',
  acknowledge: 'Un import est terminé',
  acknowledgeOne: 'Quand une copie est écrite',
  acknowledgeBoth: 'Quand les deux copies sont écrites',
  down: 'Si un endroit est en panne',
  downRefuse: 'Refuser les imports',
  downContinue: 'Continuer avec une copie',
  keepDays: 'Conserver ce qui est retiré (jours)',
  keepDaysHint: 'Cela reste sur le miroir, à l’abri des erreurs et des voleurs sur cette machine.',
  saved: 'Miroir enregistré',
  turnOff: 'Désactiver le miroir',
  turnOffTitle: (name) => `Désactiver le miroir de ${name} ?`,
  turnOffText: 'Les nouveaux contenus n’ont alors qu’une copie. Ce qui est sur le miroir y reste.',
  turnedOff: 'Miroir désactivé',
  // The database
  database: 'Noms, utilisateurs et paramètres',
  databaseOff:
    'La base de données n’a pas de seconde copie connue de cette page. Si elle est perdue, tous les noms, utilisateurs, autorisations et paramètres sont perdus, et sans eux les contenus sont introuvables.',
  databaseHow:
    'Avec SQLite, donnez à cette variable un dossier sur un autre disque ou un moteur S3, puis redémarrez. Avec PostgreSQL, utilisez sa propre réplication.',
  databaseCopying: (place) =>
    `La première copie de la base de données est en cours d’écriture vers ${place}. Tant qu’elle n’est pas complète, rien ne peut en être récupéré.`,
  databaseFollows: (place) => `Chaque modification de la base de données est copiée vers ${place}.`,
  databaseLoses: (span) =>
    `Si cette machine est perdue maintenant, les modifications des dernières ${span} sont perdues.`,
  databaseFailing: (place) => `La copie sur ${place} ne peut pas être écrite :`,
  databaseStill: 'Tout peut être récupéré jusqu’à',
  databaseFenced: 'Une autre instance a pris le relais. Celle-ci ne doit plus écrire.',
  waiting: (size) => `En attente de copie : ${size}.`,
  base: (size) => `La copie complète la plus récente fait ${size} et date de`,
  recover: 'Sur une machine vide, cette commande récupère tout :',
  backupState: (state) =>
    ({
      off: 'Aucune copie',
      copying: 'Démarrage',
      following: 'À jour',
      failing: 'En échec',
      fenced: 'Remplacée',
    })[state],
  // Replicas
  replicas: 'Réplicas pour d’autres',
  noReplicas:
    'Aucun bucket n’a de réplica. Un réplica est un bucket d’un autre moteur S3 avec les mêmes fichiers sous les mêmes noms, lisible sans ce service.',
  bucket: 'Bucket',
  place: 'Réplica',
  state: 'État',
  paused: 'En pause',
  broken: 'Écriture impossible',
  someFailed: (n) => `${formatCount(n)} en échec`,
  replicaFilling: 'En cours de remplissage',
  behind: 'En rattrapage',
  upToDate: 'À jour',
  lag: 'Retard',
  lagOf: (span, n, size) => `${span} (${plural(n, { one: 'objet', other: 'objets' })}, ${size})`,
  none: 'Aucun',
  replicate: 'Répliquer un bucket…',
  edit: (bucket) => `Modifier le réplica de ${bucket}`,
  pause: (bucket) => `Mettre en pause le réplica de ${bucket}`,
  resume: (bucket) => `Reprendre le réplica de ${bucket} et réessayer les échecs`,
  stop: (bucket) => `Ne plus répliquer ${bucket}`,
  stopTitle: (bucket) => `Ne plus répliquer ${bucket} ?`,
  stopText: 'Ce qui est dans le réplica y reste.',
  stopDo: 'Ne plus répliquer',
  stopped: 'Réplication arrêtée',
  replicaTitle: 'Répliquer un bucket',
  replicaHint:
    'Les objets y sont écrits à chaque modification. Ce que d’autres y écrivent sous les mêmes noms est remplacé.',
  target: 'Stockage',
  noTarget: 'Un réplica a besoin d’un stockage enregistré sur un moteur S3.',
  targetPrefix: 'Sous le préfixe',
  targetPrefixHint: 'Laissez vide pour celui du stockage.',
  onlyPrefix: 'Seulement ce dossier',
  onlyPrefixHint: 'Laissez vide pour tout le bucket.',
  deletes: 'Y supprimer ce qui est supprimé ici',
  existing: 'Inclure ce qui est déjà là',
  replicaDo: 'Démarrer la réplication',
  replicaSaved: (bucket) => `Réplica de ${bucket} enregistré`,
  rules: (n) =>
    `Il a ${formatCount(n)} règles, que seule la ligne de commande peut modifier. L’enregistrement les remplace.`,
  // Encryption
  encryption: 'Vol de disques',
  encrypted: (share, part, all) => `${share} de ce qui est stocké est chiffré (${part} sur ${all}).`,
  notEncrypted: 'Rien de ce qui est stocké n’est chiffré : quiconque a un disque peut le lire.',
  encryptHow:
    'La page Protection de chaque bucket le chiffre. Le réglage des nouveaux buckets se trouve dans les paramètres.',
  settings: 'Paramètres',
  keys: 'Clés de chiffrement',
  // Mistakes
  mistakes: 'Erreurs et clés volées',
  kept: (n) =>
    `Les fichiers remplacés et supprimés peuvent être restaurés partout (${plural(n, { one: 'bucket', other: 'buckets' })}).`,
  notKept: 'Dans ces buckets, les suppressions sont définitives : ils n’ont ni corbeille ni versions.',
  undoHow:
    'La page Historique d’un bucket le montre à tout moment, ce qui a changé depuis et par qui, et permet de revenir en arrière.',
}
