import type * as english from '../../features/trash/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const contents = (n: number) => plural(n, { one: 'élément', other: 'éléments' })

export const text: Translation<typeof english.text> = {
  title: 'Corbeille',
  hint: 'Fichiers supprimés et versions précédentes, conservés pendant la durée fixée pour chaque bucket.',
  bucket: 'Bucket',
  bucketOption: (name, size) => `${name} (${size})`,
  filter: 'Filtrer par chemin',
  key: 'Clé',
  size: 'Taille',
  reason: 'Raison',
  deleted: 'Supprimé',
  overwritten: 'Remplacé',
  when: 'Supprimé',
  expires: 'Suppression définitive',
  actions: 'Actions',
  select: (key) => `Sélectionner ${key}`,
  selectAll: 'Tout sélectionner sur cette page',
  selected: (n) => plural(n, { one: 'élément sélectionné', other: 'éléments sélectionnés' }),
  restore: 'Restaurer',
  restoreOne: (key) => `Restaurer ${key}`,
  purge: 'Supprimer définitivement',
  purgeOne: (key) => `Supprimer définitivement ${key}`,
  restored: (n) => plural(n, { one: 'élément restauré', other: 'éléments restaurés' }),
  restoredOne: (name) => `${name} restauré`,
  show: 'Afficher',
  purged: (n) => plural(n, { one: 'élément supprimé définitivement', other: 'éléments supprimés définitivement' }),
  emptyAll: 'Vider la corbeille',
  emptyAllTitle: (bucket) => `Vider la corbeille de ${bucket} ?`,
  emptyAllText: (size) => `Supprime définitivement tout ce qu’elle contient (${size}).`,
  purgeTitle: (n) => `Supprimer définitivement ${contents(n)} ?`,
  purgeText: (size) => `Une restauration ne sera plus possible (${size}) :`,
  more: (n) => `et ${plural(n, { one: 'autre', other: 'autres' })}`,
  noneTitle: 'La corbeille est vide',
  noneHint: (days) =>
    days === 0
      ? 'La corbeille est désactivée pour ce bucket.'
      : `Les fichiers supprimés ou remplacés restent ici pendant ${plural(days, { one: 'jour', other: 'jours' })}.`,
  noBuckets: 'Vous n’avez accès à aucun bucket ayant une corbeille.',
  takenTitle: (n) =>
    n === 1 ? 'Un objet de ce nom existe déjà' : `${formatCount(n)} objets portant ces noms existent déjà`,
  takenText: 'Rien n’a encore été restauré. Ces noms existent déjà :',
  replace: 'Remplacer',
  replaceToTrash: 'Restaure le fichier sous son nom. La version actuelle va dans la corbeille.',
  replaceForGood:
    'Restaure le fichier sous son nom. La version actuelle est supprimée définitivement, car la corbeille est désactivée.',
  replaceLatest: 'S’il y a plusieurs versions, la plus récente est restaurée.',
  replaceDenied:
    'Vous ne pouvez pas remplacer ici : la corbeille est désactivée, la version actuelle serait donc supprimée définitivement. Nécessite les autorisations « delete » et « manage ».',
  keepBoth: 'Garder les deux',
  keepBothHint: 'Restaure le fichier sous un nouveau nom, par exemple « rapport (restored).pdf ».',
  restoreOthers: (n) => (n === 1 ? 'Restaurer seulement l’autre' : `Restaurer seulement les ${formatCount(n)} autres`),
  restoredAs: (key) => `Restauré sous le nom ${key}`,
}
