import type * as english from '../../features/buckets/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'objeto', other: 'objetos' })

export const text: Translation<typeof english.text> = {
  // The list
  title: 'Buckets',
  create: 'Nuevo bucket',
  attach: 'Asociar bucket',
  name: 'Nombre',
  objects: 'Objetos',
  used: 'En uso',
  trash: 'En la papelera',
  created: 'Creado',
  emptyTitle: 'Todavía no hay buckets',
  emptyHint: 'Los buckets contienen sus archivos. Cada uno puede tener su propia cuota.',
  noneVisible: 'Todavía no tiene acceso a ningún bucket. Pida a un administrador que le añada a un grupo.',
  nameHint: 'De 3 a 63 caracteres: letras minúsculas, dígitos, puntos y guiones.',
  betterName: (name) => `Usar “${name}”`,
  nameShort: 'Use al menos 3 caracteres.',
  nameBad:
    'Use letras minúsculas, dígitos, puntos y guiones. Empiece y termine con una letra o un dígito. No se admiten dos puntos seguidos ni direcciones IP.',
  quota: 'Cuota (GB)',
  quotaHint: 'Déjela vacía para no poner límite. 1 GB son 1.073.741.824 bytes.',
  storageChoice: 'Dónde se guardan sus bytes. Se puede trasladar más adelante.',
  made: (name) => `Bucket ${name} creado`,
  filter: 'Filtrar por nombre',
  count: (n) => plural(n, { one: 'bucket', other: 'buckets' }),

  // Without permissions
  noGroupTitle: 'Todavía no pertenece a ningún grupo',
  noGroupHint:
    'Los grupos conceden permisos. Pida a un administrador que le añada a uno. No es necesario volver a iniciar sesión.',
  noRightsTitle: 'Sus grupos todavía no le conceden ningún permiso',
  noRightsHint: (groups) =>
    `Pertenece a ${groups}. Pida a un administrador acceso a un bucket. No es necesario volver a iniciar sesión.`,
  yourAccount: 'Su cuenta:',
  lookAgain: 'Volver a comprobar',

  // Overview of a bucket
  overview: 'Resumen',
  upload: 'Subir',
  stored: 'Almacenado',
  inTrash: 'En la papelera',
  reserved: 'Reservado por subidas sin terminar',
  facts: 'Acerca de este bucket',
  quotaFact: 'Cuota',
  noQuota: 'Sin límite',
  inVersions: 'En versiones anteriores',
  trashKeeps: 'Retención en la papelera',
  trashOff: 'Desactivada',
  days: (n) => plural(n, { one: 'día', other: 'días' }),
  rights: 'Sus permisos',
  free: (free) => `${free} libres`,
  usage: 'Uso',
  storedOverTime: 'Almacenado a lo largo del tiempo',
  transfer: (uploaded, downloaded) => `${uploaded} subidos y ${downloaded} descargados en este periodo.`,
  activity: 'Actividad reciente',
  noActivity: 'Todavía no hay actividad.',
  when: 'Cuándo',
  who: 'Quién',
  what: 'Qué',
  key: 'Clave',
  result: 'Resultado',
  system: 'Sistema',
  engine: 'Motor de almacenamiento',
  anonymous: 'Anónimo',
  success: 'Correcto',
  denied: 'Denegado',
  failure: 'Error',

  // Settings of a bucket
  settings: 'Configuración',
  limits: 'Límites',
  below: (used) =>
    `Por debajo del uso actual (${used}). Los archivos existentes se mantienen; las subidas nuevas se rechazarán.`,
  historyQuota: 'Máximo que conservan las instantáneas (GB)',
  historyQuotaHint:
    'Mientras ellas solas conserven más, no se crea ninguna. No se elimina nada por ello. Déjelo vacío para no poner límite.',
  historyBelow: (kept) =>
    `Menos de lo que conservan ellas solas (${kept}). Se mantiene, pero no se crean más instantáneas.`,
  includesHistory: 'Las instantáneas cuentan para la cuota',
  includesHistoryHint: 'Lo que solo conservan las instantáneas también ocupa espacio de la cuota.',
  inSnapshots: 'En instantáneas',
  trashDays: 'Retención en la papelera (días)',
  noTrash: '¿Desactivar la papelera?',
  noTrashHint:
    'Los archivos eliminados y reemplazados ya no se podrán restaurar. Lo que el bucket era hasta ahora se olvida, aunque vuelva a activar la papelera.',
  noTrashAction: 'Desactivar',
  trashHint:
    'Durante cuánto tiempo se pueden restaurar los archivos eliminados y reemplazados. Con 0 se desactiva la papelera.',
  save: 'Guardar',
  saved: 'Configuración guardada',
  dirty: 'Cambios sin guardar',
  storage: 'Almacenamiento',
  storageIs: 'Los bytes nuevos van a',
  storageOff: 'Este almacenamiento está desactivado. Las solicitudes sobre su contenido se responden con 503.',
  moveOnly: 'No hay ningún otro almacenamiento activado.',
  move: 'Trasladar a otro almacenamiento',
  moveTitle: (bucket) => `Trasladar ${bucket} a otro almacenamiento`,
  moveTo: 'Almacenamiento de destino',
  moveAction: 'Trasladar bucket',
  moveNew: 'Los bytes nuevos se guardan allí desde el principio. El bucket se puede usar en todo momento.',
  moveCopied: 'Cada blob se copia, se vuelve a leer y se compara con su suma de comprobación.',
  moveOld: 'Los bytes antiguos se eliminan tras el periodo de gracia.',
  moveCancel: 'Si lo cancela, lo que ya se trasladó se queda allí y otro traslado continúa desde ese punto.',
  moveStarted: 'Trasladando el bucket',
  // What an attached bucket shows
  source: 'Qué muestra',
  engineBucket: 'Bucket en el motor',
  enginePrefix: 'Prefijo',
  wholeBucket: 'Todo el bucket',
  listed: 'Listado',
  notListed: 'Todavía no. El primer análisis no ha terminado.',
  listedHint:
    'Los tamaños, recuentos y listas son de ese momento. Lo que abre o descarga se comprueba siempre antes en el motor.',
  reported: 'Último cambio notificado',
  notReported: 'Ninguno. Los cambios se detectan mediante análisis.',
  weak: 'Este motor no tiene ETags. Un cambio que mantenga el tamaño y la fecha de un objeto pasa inadvertido.',
  sourceHint: 'Es de solo lectura: desde aquí nunca se cambia ni se elimina nada en el motor.',
  sourceTakenOver: 'Dónde están sus bytes más antiguos',
  takenOver: 'Adoptado',
  compared: 'Comparado',
  takenOverHint:
    'Lo que había allí en el momento de la adopción permanece allí y se elimina allí cuando aquí ya nada lo necesita. Los bytes nuevos no se guardan allí.',
  findingsTitle: (n) =>
    `Otros han cambiado ${plural(n, { one: 'clave', other: 'claves' })} en el lugar de origen de este bucket adoptado`,
  findingsHint: 'Puede que ahora algunos de sus objetos no se puedan leer.',
  findingsOpen: 'Ver hallazgos',
  release: 'Liberar bucket',
  releaseHint: (n) =>
    `Desasocia el bucket y olvida ${n === 1 ? 'su objeto' : `sus ${objects(n)}`}. Todo permanece en el motor S3. Los enlaces compartidos a sus objetos dejan de funcionar.`,
  releaseAdmins: 'Solo los administradores pueden liberarlo.',
  releaseTitle: (bucket) => `¿Liberar ${bucket}?`,
  releaseStays: 'Todo permanece en el motor S3. Allí no se cambia nada.',
  releaseEnds: 'Los enlaces compartidos y las URL prefirmadas de sus objetos dejan de funcionar.',
  releaseTags: 'Las etiquetas que se pusieron aquí se pierden.',
  releaseAgain: 'Puede volver a asociarlo en cualquier momento.',
  released: (bucket, n) =>
    `Bucket ${bucket} liberado. ${n === 1 ? 'Su objeto permanece' : `Sus ${objects(n)} permanecen`} en el motor S3.`,
  danger: 'Zona de peligro',
  emptyBucket: 'Vaciar bucket',
  emptyBucketHint: (n, size) =>
    n === 1
      ? `Elimina su único objeto (${size}) en segundo plano.`
      : `Elimina todos sus objetos (${objects(n)}, ${size}) en segundo plano.`,
  emptyVersionsHint: (n, size) =>
    `Elimina todos sus objetos (${objects(n)}) y todas las versiones anteriores (${size}) en segundo plano.`,
  emptyNothing: 'Este bucket está vacío.',
  emptyTrash: (days) =>
    days === 0
      ? 'La papelera está desactivada, por lo que no se pueden restaurar.'
      : `Puede restaurarlos desde la papelera durante ${plural(days, { one: 'día', other: 'días' })}.`,
  emptyBucketTitle: (bucket) => `¿Vaciar ${bucket}?`,
  emptyStarted: 'Vaciando el bucket',
  showJob: 'Ver la tarea',
  remove: 'Eliminar bucket',
  removeHint: 'También elimina su papelera. El nombre vuelve a quedar disponible.',
  removeFirst: (n) => `Solo se puede eliminar un bucket vacío. Este tiene ${objects(n)}.`,
  removeTitle: (bucket) => `¿Eliminar ${bucket}?`,
  removeText: (trash) => `Elimina definitivamente el bucket y su papelera (${trash}).`,
  removed: (bucket) => `Bucket ${bucket} eliminado`,
  needsManage: 'Se requiere el permiso “manage” en este bucket.',
}
