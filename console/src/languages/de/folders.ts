import type * as english from '../../features/folders/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  crumbsHidden: 'Weitere Ordner',
  emptyName: 'Jeder Ordner im Pfad braucht einen Namen: Entfernen Sie den überzähligen Schrägstrich.',
  folderName: 'Ordnername',
  noFolders: 'Hier sind keine Ordner',
  moreFolders: (n) => `Nur die ersten ${formatCount(n)} Ordner werden angezeigt.`,
  firstRows: (n) => `Nur die ersten ${formatCount(n)} Elemente werden angezeigt.`,
  target: 'Zielordner',
  noName: '(ohne Namen)',
  newFolder: 'Neuer Ordner',
  create: 'Erstellen',
  emptyFolder: 'Dieser Ordner ist leer',
}
