import type * as english from '../../features/protection/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const days = (n: number) => plural(n, { one: 'jour', other: 'jours' })
const years = (n: number) => plural(n, { one: 'an', other: 'ans' })

export const text: Translation<typeof english.text> = {
  title: 'Protection',
  summary: 'Ce qui peut être supprimé, et par qui',
  // Sentences
  trashOnly: (n) =>
    `Les fichiers remplacés ou supprimés vont dans la corbeille, d’où ils peuvent être restaurés pendant ${days(n)}. Ensuite, ils sont supprimés définitivement.`,
  nothingKept:
    'Les fichiers remplacés ou supprimés sont aussitôt supprimés définitivement : les versions et la corbeille sont désactivées.',
  versionsKept:
    'Les fichiers remplacés ou supprimés restent comme versions jusqu’à ce qu’un utilisateur ayant « delete » ou une politique de nettoyage supprime la version.',
  versionsLeft:
    'Les versions antérieures restent jusqu’à ce qu’un utilisateur ayant « delete » ou une politique de nettoyage les supprime. Aucune nouvelle n’est créée.',
  versionsTrash: (n) =>
    `Les versions supprimées vont dans la corbeille, d’où elles peuvent être restaurées pendant ${days(n)}.`,
  versionsGone: 'Les versions supprimées le sont aussitôt définitivement : la corbeille est désactivée.',
  purge: 'Les utilisateurs ayant « manage » peuvent vider la corbeille à tout moment.',
  purgeVersions:
    'Les utilisateurs ayant « manage » peuvent vider la corbeille à tout moment, et supprimer définitivement des versions.',
  purgeUnlocked:
    'Les utilisateurs ayant « manage » peuvent vider la corbeille à tout moment, et supprimer définitivement les versions non verrouillées.',
  notLocked: 'Rien ne peut être verrouillé dans ce bucket.',
  lockedSingly:
    'Les versions peuvent être verrouillées une par une. Une version verrouillée ne peut pas être supprimée avant la fin de son verrou.',
  lockedCompliance: (period) =>
    `Chaque nouvelle version est verrouillée pendant ${period}. D’ici là, personne ne peut la supprimer, pas même un administrateur.`,
  lockedGovernance: (period) =>
    `Chaque nouvelle version est verrouillée pendant ${period}. D’ici là, seuls les utilisateurs ayant « bypass_lock » peuvent la supprimer.`,
  holds:
    'Une version sous conservation légale reste jusqu’à ce qu’un utilisateur ayant « manage » lève cette conservation.',
  overwrite:
    'Les fichiers verrouillés peuvent tout de même être remplacés et supprimés : la version verrouillée reste derrière la nouvelle.',
  // Public access
  private: 'Rien dans ce bucket n’est public.',
  readOnly: 'Personne ne peut rien modifier ni supprimer ici : le bucket est en lecture seule.',
  readOnlyEngine:
    'Il affiche ce qui est conservé sur un moteur S3. Quiconque a accès au moteur peut l’y modifier et l’y supprimer.',
  publicAccess: 'Accès public',
  publicBlocked:
    'Bloqué : les politiques de bucket, les ACL et les autorisations du groupe « Public » n’ont aucun effet ici.',
  publicRemoves:
    'Tout le monde peut remplacer ou supprimer des fichiers sur le point de terminaison S3, sans clé d’accès.',
  publicHow:
    'Une politique de bucket, une ACL ou les autorisations du groupe « Public » le permettent. Les modifications s’appliquent dès la requête suivante ; des caches peuvent garder un objet une minute.',
  blockPublic: 'Bloquer l’accès public',
  blockTitle: (bucket) => `Bloquer l’accès public à ${bucket} ?`,
  blockText: 'Chaque requête nécessite alors une clé d’accès. Vous pourrez lever le blocage plus tard.',
  allowPublic: 'Lever le blocage',
  blocked: 'Accès public bloqué',
  unblocked: 'Blocage levé',
  // Versions
  versioning: 'Versions',
  versioningIs: (state) =>
    ({
      off: 'Désactivées : les fichiers remplacés ou supprimés vont dans la corbeille.',
      enabled: 'Activées : les fichiers remplacés ou supprimés sont conservés comme versions jusqu’à leur suppression.',
      suspended: 'Suspendues : les versions existantes sont conservées, mais aucune nouvelle n’est créée.',
    })[state],
  versionBytes: (size) => `Les versions antérieures utilisent ${size} du quota.`,
  enable: 'Activer les versions',
  enableTitle: (bucket) => `Conserver les versions dans ${bucket} ?`,
  enableText:
    'Les fichiers remplacés ou supprimés restent alors comme versions et comptent dans le quota. Vous pourrez suspendre les versions plus tard, mais pas les désactiver.',
  enabled: 'Versions activées',
  suspend: 'Suspendre les versions',
  suspended: 'Versions suspendues',
  lockKeepsOn: 'Le verrouillage d’objets garde les versions activées.',
  // Object Lock
  objectLock: 'Verrouillage d’objets',
  lockOff: 'Désactivé. Activez-le pour protéger les versions contre la suppression pendant un certain temps.',
  lockNeedsVersions: 'Désactivé. Il nécessite les versions.',
  lockOn: 'Activé. Il ne peut plus être désactivé.',
  turnOn: 'Activer le verrouillage d’objets',
  turnOnTitle: (bucket) => `Activer le verrouillage d’objets dans ${bucket} ?`,
  turnOnText: 'Il ne pourra plus être désactivé, et les versions ne pourront plus être suspendues.',
  turnedOn: 'Verrouillage d’objets activé',
  byDefault: 'Nouvelles versions',
  mode: (mode) =>
    ({
      none: 'Non verrouillées par défaut',
      governance: 'Verrouillées en mode gouvernance',
      compliance: 'Verrouillées en mode conformité',
    })[mode],
  modeHint: (mode) =>
    ({
      none: 'Les clients S3 et les utilisateurs verrouillent les versions de leur choix.',
      governance:
        'Les utilisateurs ayant « bypass_lock » peuvent tout de même supprimer une version ou raccourcir son verrou.',
      compliance: 'Personne ne peut supprimer une version ni raccourcir son verrou, pas même un administrateur.',
    })[mode],
  period: 'Durée',
  unit: 'Unité',
  days: 'jours',
  years: 'ans',
  daysOf: days,
  yearsOf: years,
  save: 'Enregistrer',
  saved: 'Verrouillage d’objets enregistré',
  complianceTitle: (period) => `Verrouiller chaque nouvelle version pendant ${period} ?`,
  complianceText:
    'En mode conformité, personne ne peut revenir là-dessus pour les versions déjà envoyées, pas même un administrateur.',
  complianceAction: 'Verrouiller les nouvelles versions',
  // The clock
  clockTitle: 'L’horloge est douteuse',
  confirmClock: 'Confirmer l’horloge',
  confirmClockTitle: 'Confirmer l’horloge ?',
  confirmClockText: (now) =>
    `Elle indique ${now}. Les versions dont le verrou est terminé selon cette horloge pourront alors être supprimées définitivement.`,
  clockConfirmed: 'Horloge confirmée',
  // One version
  lock: 'Verrouiller…',
  lockWhat: (name, time) => `${name}, version du ${time}`,
  lockDo: 'Verrouiller',
  notLockedHint: 'Les utilisateurs avec « delete » peuvent supprimer cette version.',
  lockTitle: 'Verrouiller cette version',
  lockMode: 'Mode',
  modeName: (mode) => ({ none: 'Non verrouillée', governance: 'Gouvernance', compliance: 'Conformité' })[mode],
  until: 'Jusqu’au',
  bypasses: 'La version est verrouillée en mode gouvernance. Cette action utilise votre autorisation « bypass_lock ».',
  legalHold: 'Conservation légale',
  legalHoldHint: 'La version est conservée jusqu’à la levée. Nécessite l’autorisation « manage ».',
  locked: 'Verrou enregistré',
  lockedUntil: (time) => `Verrouillée jusqu’au ${time}`,
  onHold: 'Conservation légale',
  compliance: 'Personne ne peut la supprimer avant.',
  governance: 'Seuls les utilisateurs ayant « bypass_lock » peuvent la supprimer avant.',
  heldHint: 'Elle reste jusqu’à ce qu’un utilisateur ayant « manage » lève la conservation légale.',
  lockEnded: (time) => `Verrou terminé le ${time}`,
}
