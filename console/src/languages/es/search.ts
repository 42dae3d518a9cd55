import type * as english from '../../features/search/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const found = (n: number) => plural(n, { one: 'objeto encontrado', other: 'objetos encontrados' })

export const text: Translation<typeof english.text> = {
  title: 'Búsqueda',
  field: 'Buscar en todos los buckets',
  allFor: (query) => `Buscar “${query}” en todos los buckets`,
  inAll: 'En todos los buckets',
  exportList: 'Exportar lista',
  exportStreams: 'Todos los resultados se escriben en un archivo a medida que llegan.',
  exportHolds: 'Todos los resultados. Este navegador mantiene el archivo en memoria hasta que está completo.',
  csv: 'CSV, para hojas de cálculo',
  ndjson: 'NDJSON, con rutas exactas',
  exported: (name) => `Se ha guardado ${name}`,
  found: (n, isExact) => (isExact ? found(n) : `Al menos ${found(n)}`),
  results: 'Resultados de la búsqueda',
  place: 'Ubicación',
  searching: 'Buscando…',
  // What is not understood
  notUnderstood: (part) => `No se entiende “${part}”.`,
  searchInstead: (query) => `Usar ${query}`,
  suggestions: 'Sugerencias',
  fieldOf: (field) =>
    ({
      name: 'Nombre del archivo',
      key: 'Ruta completa',
      prefix: 'Carpeta',
      ext: 'Extensión',
      type: 'Tipo de contenido',
      kind: 'Clase de archivo',
      size: 'Tamaño',
      modified: 'Último cambio',
      created: 'Primera subida',
      tag: 'Etiqueta',
      meta: 'Metadatos',
      by: 'Subido por',
      encrypted: 'Cifrado',
      storage: 'Clase de almacenamiento',
      bucket: 'Bucket',
    })[field],
  // Attached buckets
  unread: 'No se han podido buscar por completo estos buckets:',
  unreadIn: (n, isExact) =>
    `${isExact ? '' : 'al menos '}${plural(n, { one: 'objeto aún no se ha leído', other: 'objetos aún no se han leído' })}: las etiquetas, los metadatos y los tipos no los encuentran.`,
  moreBuckets: (n) => `y ${plural(n, { one: 'bucket más', other: 'buckets más' })}`,
  // Before anything is searched for
  startTitle: 'Encontrar objetos en todos los buckets',
  startHint: 'Busque una parte de un nombre o combine términos como estos:',
  exampleTag: 'Con la etiqueta “project” y el valor “apollo”',
  examplePictures: 'Imágenes modificadas en los últimos 7 días',
  exampleLarge: (size) => `Archivos PDF de más de ${size}`,
  nothingHint: 'Solo se encuentran los objetos que puede listar. Revise los términos o quite alguno.',
  clear: 'Borrar búsqueda',
  keyField: 'Buscar',
  keyOpen: 'Abrir',
  keyMove: 'Mover el cursor',
}
