import type * as english from '../../features/audit/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const records = (n: number) => plural(n, { one: 'enregistrement', other: 'enregistrements' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Journal d’audit',
  hint: 'Qui a fait quoi, quand, d’où et avec quel résultat.',
  // Filters
  filters: 'Filtres',
  filtersSet: (n) => (n === 0 ? 'Filtres' : `Filtres (${n})`),
  actor: 'Acteur',
  actorHint: 'Nom, e-mail ou ID d’utilisateur',
  actorIncomplete: 'Sélectionnez un utilisateur, ou saisissez une adresse e-mail ou un ID en entier.',
  action: 'Action',
  anyAction: 'Toutes les actions',
  bucket: 'Bucket',
  key: 'La clé commence par',
  from: 'Du',
  to: 'Au',
  result: 'Résultat',
  anyResult: 'Tous',
  success: 'Réussi',
  denied: 'Refusé',
  failure: 'Échec',
  ip: 'Adresse IP',
  request: 'ID de requête',
  about: 'Concerne (ID)',
  clear: 'Effacer les filtres',
  moreFilters: 'Plus de filtres',
  anyTime: 'Toutes les dates',
  customTime: 'Période personnalisée',
  periods: (one) =>
    ({ '1h': 'Dernière heure', today: 'Aujourd’hui', '7d': '7 derniers jours', '30d': '30 derniers jours' })[one] ?? '',
  is: (label, value) => `${label} : ${value}`,
  remove: (filter) => `Retirer le filtre ${filter}`,
  only: 'Afficher uniquement',
  onlyOne: (value) => `Afficher uniquement ${value}`,
  emptyTitle: 'Aucun enregistrement pour le moment',
  // The list
  time: 'Date et heure',
  where: 'Cible',
  address: 'Adresse IP',
  record: (action) => `Enregistrement : ${action}`,
  copyJson: 'Copier en JSON',
  part: (number, of) => `partie ${formatCount(number)} sur ${formatCount(of)}`,
  isPart: 'Cette modification ne tenait pas dans un seul enregistrement.',
  showWhole: 'Afficher la modification entière',
  partsGone: 'Certaines parties de cette modification manquent ou ont expiré.',
  linked: 'Enregistrement lié',
  noRecord: 'Cet enregistrement n’existe pas ou a expiré.',
  close: 'Fermer',
  total: (n, more) => (more ? `Plus de ${records(n)}` : records(n)),
  pat: 'jeton',
  session: 'session',
  link: 'lien',
  system: 'système',
  cli: 'ligne de commande',
  engine: 'moteur de stockage',
  nobody: 'non connecté',
  aToken: 'avec un jeton d’accès personnel',
  aSession: 'connecté',
  aLink: 'avec un lien de partage ou une URL signée',
  anEngine: 'modifié sur le moteur S3 par quelqu’un d’autre, et trouvé à cet endroit',
  // Live
  live: 'En direct',
  fresh: (n, more) => {
    const fresh = plural(n, { one: 'nouvel enregistrement', other: 'nouveaux enregistrements' })
    return more ? `Plus de ${fresh}` : fresh
  },
  // Export
  export: 'Exporter',
  csv: 'CSV',
  ndjson: 'NDJSON',
  streams:
    'Tous les enregistrements qui correspondent aux filtres sont écrits dans un fichier à mesure qu’ils arrivent.',
  holds:
    'Tous les enregistrements qui correspondent aux filtres. Ce navigateur garde le fichier en mémoire jusqu’à ce qu’il soit complet.',
  exported: (name) => `Fichier ${name} enregistré`,
  // Verification
  verify: 'Vérifier',
  verifyTitle: 'Vérifier l’intégrité du journal',
  verifying: (n) => `${plural(n, { one: 'enregistrement vérifié', other: 'enregistrements vérifiés' })}…`,
  whole: 'Le journal est intact',
  wholeText: (n, checkpoints) =>
    `Vérifiés : ${records(n)} et ${plural(checkpoints, { one: 'point de contrôle', other: 'points de contrôle' })}. Toutes les empreintes et les signatures sont valides.`,
  nothing: 'Aucun enregistrement n’est encore scellé ; il n’y a donc rien à vérifier.',
  pending: (n) =>
    `${plural(n, {
      one: 'enregistrement récent n’est pas encore scellé',
      other: 'enregistrements récents ne sont pas encore scellés',
    })}.`,
  removed: (seq) =>
    `Les enregistrements jusqu’au maillon ${formatCount(seq)} ont été supprimés après leur durée de conservation.`,
  broken: (n) => `Échec de la vérification d’intégrité : ${plural(n, { one: 'problème', other: 'problèmes' })}`,
  brokenText: (n) => `Trouvé parmi ${plural(n, { one: 'enregistrement vérifié', other: 'enregistrements vérifiés' })}.`,
  faults: 'Problèmes',
  more: (n) => `et ${plural(n, { one: 'autre', other: 'autres' })}`,
  link_at: (seq) => `Maillon ${formatCount(seq)}`,
  edited: 'Enregistrement modifié',
  missing: 'Enregistrement manquant',
  swapped: 'Enregistrements intervertis',
  forged: 'Enregistrement non écrit par ce service',
  tail: 'Les derniers enregistrements manquent',
  gap: 'Des enregistrements manquent entre les deux',
  checkpoint: 'Le point de contrôle ne correspond pas',
  retention: 'Enregistrements supprimés avant la fin de leur durée de conservation',
}
