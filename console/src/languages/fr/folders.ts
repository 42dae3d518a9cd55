import type * as english from '../../features/folders/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  crumbsHidden: 'Autres dossiers',
  emptyName: 'Chaque dossier du chemin doit avoir un nom : supprimez la barre oblique en trop.',
  folderName: 'Nom du dossier',
  noFolders: 'Aucun dossier ici',
  moreFolders: (n) => `Seuls les ${formatCount(n)} premiers dossiers sont affichés.`,
  firstRows: (n) => `Seuls les ${formatCount(n)} premiers éléments sont affichés.`,
  target: 'Dossier de destination',
  noName: '(sans nom)',
  newFolder: 'Nouveau dossier',
  create: 'Créer',
  emptyFolder: 'Ce dossier est vide',
}
