import type * as english from '../../features/past/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: (place) => `Que contenait ${place} ?`,
  ago: (span) =>
    ({ hour: 'Il y a une heure', day: 'Hier', week: 'La semaine dernière', month: 'Il y a un mois' })[span],
  usual: 'Moments usuels',
  moment: 'Date et heure',
  momentHint: 'Affiche la liste telle qu’elle était. Rien n’est modifié.',
  notYet: 'Ce moment est dans le futur.',
  show: 'Afficher',
  snapshots: 'Instantanés',
  change: 'Autre moment…',
  changes: 'Modifications et instantanés',
  nothingKept: 'Ce bucket ne conserve ni corbeille ni versions. Seul ce que gardent les instantanés peut être affiché.',
  band: 'Le passé',
  asOf: (time) => `Au ${time}`,
  snapshot: (name) => `Instantané ${name}`,
  readOnly: 'Lecture seule : ceci est le passé.',
  since: 'Modifications depuis',
  now: 'Revenir au présent',
  wasEmpty: 'Il n’y avait rien ici',
  wasEmptyHint: 'Le dossier n’existait pas à ce moment, ou il était vide.',
  unknown: 'Ce moment ne peut pas être affiché',
  erasedHint: 'Son contenu a été supprimé définitivement depuis.',
  noPreview: 'Pas d’aperçu de ce type de fichier dans le passé. Téléchargez-le pour l’ouvrir.',
  noFormer: 'La corbeille n’a pas de contenu antérieur de ce fichier.',
  replaced: 'Remplacé',
}
