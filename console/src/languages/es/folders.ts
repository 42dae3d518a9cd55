import type * as english from '../../features/folders/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  crumbsHidden: 'Más carpetas',
  emptyName: 'Cada carpeta de la ruta necesita un nombre: quite la barra que sobra.',
  folderName: 'Nombre de la carpeta',
  noFolders: 'No hay carpetas aquí',
  moreFolders: (n) => `Se muestran las primeras ${formatCount(n)} carpetas.`,
  firstRows: (n) => `Se muestran los primeros ${formatCount(n)} elementos.`,
  target: 'Carpeta de destino',
  noName: '(sin nombre)',
  newFolder: 'Nueva carpeta',
  create: 'Crear',
  emptyFolder: 'Esta carpeta está vacía',
}
