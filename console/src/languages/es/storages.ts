import type * as english from '../../features/storages/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const buckets = (n: number) => plural(n, { one: 'bucket', other: 'buckets' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Almacenamientos',
  hint: 'Lugares para los bytes de los buckets: motores compatibles con S3 y carpetas.',
  add: 'Añadir almacenamiento',
  // The list
  name: 'Nombre',
  isDefault: 'Predeterminado',
  kind: 'Tipo',
  kindName: (kind) => ({ s3: 'S3', file: 'Carpeta' })[kind],
  where: 'Ubicación',
  aws: 'AWS',
  buckets: 'Buckets',
  used: 'En uso',
  health: 'Estado',
  reachable: 'Accesible',
  reachedIn: (ms) => `Respondió en ${formatCount(ms)} ms`,
  slow: 'Lento',
  unreachable: 'No responde',
  noticed: 'Detectado',
  off: 'Desactivado',
  checking: 'Comprobando…',
  free: 'Libre',
  // What is attached to it
  attached: 'Buckets asociados',
  attachedNone: 'Ninguno',
  attach: 'Asociar un bucket',
  // One storage
  about: 'Acerca de este almacenamiento',
  created: 'Creado',
  defaultHint: 'Se configura con STORAGE_URL, por lo que aquí no se puede cambiar ni eliminar.',
  connection: 'Conexión',
  save: 'Guardar',
  saved: 'Almacenamiento guardado',
  refused: 'No se ha guardado nada',
  danger: 'Zona de peligro',
  turnOff: 'Desactivar',
  turnOffHint:
    'Mientras esté desactivado, las solicitudes sobre su contenido se responden con 503. No se cambia nada en él.',
  turnOffTitle: (name) => `¿Desactivar ${name}?`,
  turnOffText: (n) =>
    n === 0
      ? 'No se puede usar hasta que se vuelva a activar. Las solicitudes sobre su contenido se responden con 503.'
      : `Las solicitudes sobre su contenido se responden con 503 hasta que se vuelva a activar. Afecta a ${buckets(n)}.`,
  turnedOff: (name) => `Se ha desactivado ${name}`,
  turnOn: 'Activar',
  isOff: 'Este almacenamiento está desactivado. Las solicitudes sobre su contenido se responden con 503.',
  turnedOn: (name) => `Se ha activado ${name}`,
  remove: 'Eliminar almacenamiento',
  removeHint: 'Lo quita de esta lista. Los demás objetos del mismo lugar se mantienen.',
  removeFirst: (n) =>
    `Solo se puede eliminar un almacenamiento sin buckets. Este tiene ${buckets(n)}: trasládelos o libérelos antes.`,
  removeTitle: (name) => `¿Eliminar ${name}?`,
  removeText:
    'Quita de Strongroom el almacenamiento y sus credenciales. Los demás objetos del mismo lugar se mantienen.',
  removed: 'Almacenamiento eliminado',
}

export const roomText: Translation<typeof english.roomText> = {
  title: 'Espacio en disco',
  of: (disk) => ({ database: 'Base de datos', storage: 'Objetos' })[disk],
  both: 'Base de datos y objetos',
  free: 'Libre:',
  state: (state) => ({ room: 'Suficiente', nearly_full: 'Poco espacio', short: 'Casi lleno' })[state],
  refused:
    'Las subidas se rechazan hasta que haya espacio. Las descargas, el inicio de sesión y los borrados siguen funcionando.',
  soon: 'Queda libre menos de una décima parte. Cuando esté casi lleno, las subidas se rechazarán.',
  emptyTrash: 'Vaciar la papelera.',
  emptyTrashHint:
    'Mientras el disco está casi lleno, el espacio se libera de inmediato; si no, tras el período de gracia.',
  cleanUp: 'Eliminar lo que no hace falta,',
  cleanUpHint:
    'por ejemplo con una política de limpieza, y después vaciar la papelera. Las versiones y los objetos bloqueados se quedan hasta su plazo.',
  move: 'Añadir un almacenamiento con espacio',
  moveHint: 'y mover allí un bucket, en la configuración del bucket.',
  enlarge: 'O ampliar el disco. No hace falta reiniciar.',
}

export const formText: Translation<typeof english.formText> = {
  newTitle: 'Añadir almacenamiento',
  newHint: 'No se escribe nada en él hasta que se crea el primer bucket.',
  place: 'Ubicación',
  nameHint: 'Letras minúsculas, dígitos y guiones. No se puede cambiar.',
  nameBad: 'Use hasta 63 letras minúsculas, dígitos y guiones. Empiece y termine con una letra o un dígito.',
  endpoint: 'Endpoint',
  endpointHint: 'URL del motor S3, con http:// o https://. Déjelo vacío para AWS.',
  region: 'Región',
  bucket: 'Bucket',
  prefix: 'Prefijo',
  prefixHint: 'Déjelo vacío para todo el bucket.',
  style: 'Direccionamiento',
  styleName: (style) => ({ auto: 'Automático', path: 'Bucket en la ruta', host: 'Bucket en el nombre de host' })[style],
  styleHint: 'Automático: en la ruta si hay un endpoint.',
  folder: 'Carpeta',
  folderHint: 'Una ruta absoluta dentro de una de las carpetas que indica STORAGE_FOLDERS.',
  credentials: 'Credenciales',
  credentialsHint: 'Déjelas vacías para usar las fuentes habituales del AWS SDK.',
  keyId: 'ID de clave de acceso',
  secret: 'Clave de acceso secreta',
  secretHint: 'Se guarda cifrada y nunca se muestra.',
  badForm: 'Formato no válido.',
  action: 'Añadir almacenamiento',
  refused: 'No se puede añadir este almacenamiento',
  added: (name) => `Almacenamiento ${name} añadido`,
}

export const testText: Translation<typeof english.testText> = {
  title: 'Prueba',
  hint: 'Prueba todo lo que necesita un bucket. No queda nada allí.',
  hintSaved: 'Prueba la configuración guardada. No queda nada allí.',
  action: 'Probar',
  again: 'Probar de nuevo',
  passed: 'Prueba superada',
  warned: 'Superada con advertencias',
  failed: 'Prueba fallida',
  stale: 'La configuración ha cambiado desde esta prueba.',
  checks: 'Comprobaciones',
  check: (name) =>
    ({
      reach: 'Conexión',
      list: 'Listar objetos',
      order: 'Orden de las claves',
      head: 'Propiedades',
      read: 'Lectura',
      if_match: 'Condiciones',
      clock: 'Reloj',
      versioning: 'Versiones',
      write: 'Escritura y eliminación',
    })[name],
  status: (status) => ({ passed: 'Superada', warning: 'Advertencia', failed: 'Fallida', skipped: 'Omitida' })[status],
  preview: 'Primeros objetos',
  key: 'Clave',
  size: 'Tamaño',
  modified: 'Modificado',
}

export const eventsText: Translation<typeof english.eventsText> = {
  title: 'Notificaciones de eventos',
  on: 'Token establecido',
  off: 'Desactivadas',
  hintOff:
    'Con un token, el motor S3 puede notificar al momento los cambios en los buckets asociados. Sin él, se detectan con análisis cada hora.',
  hintOn:
    'El motor S3 puede notificar al momento los cambios en los buckets asociados. Los análisis se siguen haciendo, una vez al día mientras llegan notificaciones.',
  create: 'Crear token',
  replace: 'Reemplazar token',
  replaceTitle: '¿Reemplazar este token?',
  replaceText: 'A partir de ahora se rechazan las notificaciones con el token actual. Configure el motor con el nuevo.',
  delete: 'Eliminar token',
  deleteTitle: '¿Eliminar este token?',
  deleteText: 'Se rechazan las notificaciones del motor. Los cambios se detectan con análisis cada hora.',
  deleted: 'Token eliminado',
  token: 'Token',
  url: 'URL para el motor',
  bearer: 'Configure el motor para que envíe sus notificaciones de eventos a esta URL, con el token como token Bearer.',
  urlWithToken: 'URL con el token incluido',
  inUrl: 'Para motores que no pueden enviar un token propio, como Ceph.',
}
