import type * as english from '../../features/search/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const found = (n: number) => plural(n, { one: 'objet trouvé', other: 'objets trouvés' })

export const text: Translation<typeof english.text> = {
  title: 'Recherche',
  field: 'Rechercher dans tous les buckets',
  allFor: (query) => `Rechercher « ${query} » dans tous les buckets`,
  inAll: 'Dans tous les buckets',
  exportList: 'Exporter la liste',
  exportStreams: 'Tous les résultats sont écrits dans un fichier à mesure qu’ils arrivent.',
  exportHolds: 'Tous les résultats. Ce navigateur garde le fichier en mémoire jusqu’à ce qu’il soit complet.',
  csv: 'CSV, pour les tableurs',
  ndjson: 'NDJSON, avec les chemins exacts',
  exported: (name) => `Fichier ${name} enregistré`,
  found: (n, isExact) => (isExact ? found(n) : `Au moins ${found(n)}`),
  results: 'Résultats de la recherche',
  place: 'Emplacement',
  searching: 'Recherche en cours…',
  // What is not understood
  notUnderstood: (part) => `« ${part} » n’est pas compris.`,
  searchInstead: (query) => `Utiliser ${query}`,
  suggestions: 'Suggestions',
  fieldOf: (field) =>
    ({
      name: 'Nom du fichier',
      key: 'Chemin complet',
      prefix: 'Dossier',
      ext: 'Extension',
      type: 'Type de contenu',
      kind: 'Genre de fichier',
      size: 'Taille',
      modified: 'Dernière modification',
      created: 'Premier envoi',
      tag: 'Étiquette',
      meta: 'Métadonnées',
      by: 'Envoyé par',
      encrypted: 'Chiffrement',
      storage: 'Classe de stockage',
      bucket: 'Bucket',
    })[field],
  // Attached buckets
  unread: 'Ces buckets n’ont pas pu être recherchés entièrement :',
  unreadIn: (n, isExact) =>
    `${isExact ? '' : 'au moins '}${plural(n, { one: 'objet n’a pas encore été lu', other: 'objets n’ont pas encore été lus' })} : les étiquettes, les métadonnées et les types ne les trouvent pas.`,
  moreBuckets: (n) => `et ${plural(n, { one: 'autre bucket', other: 'autres buckets' })}`,
  // Before anything is searched for
  startTitle: 'Trouver des objets dans tous les buckets',
  startHint: 'Recherchez une partie d’un nom ou combinez des termes comme ceux-ci :',
  exampleTag: 'Avec l’étiquette « project » et la valeur « apollo »',
  examplePictures: 'Images modifiées ces 7 derniers jours',
  exampleLarge: (size) => `Fichiers PDF de plus de ${size}`,
  nothingHint: 'Seuls les objets que vous pouvez lister sont trouvés. Vérifiez les termes ou retirez-en un.',
  clear: 'Effacer la recherche',
  keyField: 'Rechercher',
  keyOpen: 'Ouvrir',
  keyMove: 'Déplacer le curseur',
}
