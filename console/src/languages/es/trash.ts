import type * as english from '../../features/trash/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const contents = (n: number) => plural(n, { one: 'elemento', other: 'elementos' })

export const text: Translation<typeof english.text> = {
  title: 'Papelera',
  hint: 'Archivos eliminados y versiones anteriores; se conservan según el tiempo de retención de cada bucket.',
  bucket: 'Bucket',
  bucketOption: (name, size) => `${name} (${size})`,
  filter: 'Filtrar por ruta',
  key: 'Clave',
  size: 'Tamaño',
  reason: 'Motivo',
  deleted: 'Eliminado',
  overwritten: 'Reemplazado',
  when: 'Eliminado',
  expires: 'Eliminación definitiva',
  actions: 'Acciones',
  select: (key) => `Seleccionar ${key}`,
  selectAll: 'Seleccionar todo en esta página',
  selected: (n) => plural(n, { one: 'elemento seleccionado', other: 'elementos seleccionados' }),
  restore: 'Restaurar',
  restoreOne: (key) => `Restaurar ${key}`,
  purge: 'Eliminar definitivamente',
  purgeOne: (key) => `Eliminar ${key} definitivamente`,
  restored: (n) => plural(n, { one: 'elemento restaurado', other: 'elementos restaurados' }),
  restoredOne: (name) => `${name}: restaurado`,
  show: 'Mostrar',
  purged: (n) =>
    plural(n, { one: 'elemento eliminado definitivamente', other: 'elementos eliminados definitivamente' }),
  emptyAll: 'Vaciar papelera',
  emptyAllTitle: (bucket) => `¿Vaciar la papelera de ${bucket}?`,
  emptyAllText: (size) => `Elimina definitivamente todo su contenido (${size}).`,
  purgeTitle: (n) => `¿Eliminar ${contents(n)} definitivamente?`,
  purgeText: (size) => `Después no se podrán restaurar (${size}):`,
  more: (n) => `y ${formatCount(n)} más`,
  noneTitle: 'La papelera está vacía',
  noneHint: (days) =>
    days === 0
      ? 'La papelera de este bucket está desactivada.'
      : `Los archivos eliminados y reemplazados permanecen aquí durante ${plural(days, { one: 'día', other: 'días' })}.`,
  noBuckets: 'No tiene acceso a ningún bucket con papelera.',
  takenTitle: (n) =>
    n === 1 ? 'Ya existe un objeto con este nombre' : `Ya existen ${formatCount(n)} objetos con estos nombres`,
  takenText: 'Todavía no se ha restaurado nada. Ya existen:',
  replace: 'Reemplazar',
  replaceToTrash: 'Restaura el archivo con su nombre. La versión actual va a la papelera.',
  replaceForGood:
    'Restaura el archivo con su nombre. La versión actual se elimina definitivamente, porque la papelera está desactivada.',
  replaceLatest: 'Si hay varias versiones, se restaura la más reciente.',
  replaceDenied:
    'No puede reemplazar aquí: la papelera está desactivada, por lo que la versión actual se eliminaría definitivamente. Se requieren los permisos “delete” y “manage”.',
  keepBoth: 'Conservar ambos',
  keepBothHint: 'Restaura el archivo con un nombre nuevo, como “report (restored).pdf”.',
  restoreOthers: (n) => (n === 1 ? 'Restaurar solo el otro' : `Restaurar solo los otros ${formatCount(n)}`),
  restoredAs: (key) => `Restaurado como ${key}`,
}
