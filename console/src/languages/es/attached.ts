import type * as english from '../../features/attached/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'objeto', other: 'objetos' })

/** The way to an attached bucket. */
export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Asociar bucket',
  hint: 'Muestra aquí, en solo lectura, un bucket de un motor S3. No se copia, cambia ni elimina nada de su contenido.',
  step: (step) => ({ place: 'Almacenamiento', test: 'Prueba', name: 'Nombre', scan: 'Primer análisis' })[step],
  back: 'Atrás',
  // Storage
  placeTitle: '¿Dónde están los objetos?',
  from: 'Almacenamiento',
  registered: 'Almacenamiento registrado',
  new: 'Almacenamiento nuevo',
  prefix: 'Prefijo',
  prefixHint: (location) => `Déjelo vacío para todo el contenido de ${location}.`,
  newHint: 'Use credenciales que puedan listar y leer, y nada más.',
  goTest: 'Probar conexión',
  // Test
  testHint: (location) => `Lo necesario para mostrar ${location} en solo lectura.`,
  testAgain: 'Probar de nuevo',
  testFailed: 'Las comprobaciones fallidas deben corregirse antes de poder asociar este bucket.',
  testWarned: 'Se puede asociar. Lea antes las advertencias.',
  noObjects: 'Todavía no hay objetos aquí. Los que se añadan más tarde aparecerán por sí solos.',
  next: 'Continuar',
  // Name
  nameTitle: '¿Cómo se llama aquí?',
  bucketName: 'Nombre del bucket',
  bucketHint: 'Los usuarios, los enlaces compartidos y los clientes S3 ven este nombre. No se puede cambiar.',
  storageName: 'Nombre del almacenamiento',
  storageHint: 'Para los administradores. El almacenamiento se añade con este nombre a la lista de almacenamientos.',
  shows: 'Muestra',
  onStorage: 'En el almacenamiento',
  attach: 'Asociar bucket',
  storageRefused: 'No se puede añadir el almacenamiento',
  bucketRefused: 'No se puede asociar el bucket',
  storageKept: (name) =>
    `El almacenamiento ${name} se ha añadido y está seleccionado. No hace falta volver a introducir nada.`,
  attached: (bucket) => `Bucket ${bucket} asociado`,
  // First scan
  scanTitle: (bucket) => `El bucket ${bucket} está asociado`,
  scanWaits: 'El primer análisis empieza en un momento.',
  scanRuns: 'El primer análisis está buscando los objetos. Puede salir de esta página y usar el bucket.',
  scanEnds: (n) => `El primer análisis ha terminado: ${objects(n)}.`,
  scanHeld: 'El primer análisis ha quedado retenido.',
  browse: 'Abrir bucket',
  scans: 'Ver sus análisis',
}

/** Scans. */
export const scanText: Translation<typeof english.scanText> = {
  title: 'Análisis',
  hint: 'Un análisis compara este bucket con lo que lista el motor S3.',
  hintTakenOver:
    'Un análisis compara lo que se adoptó con lo que lista el motor S3. Lo que otros hayan cambiado allí es un hallazgo.',
  scanNow: 'Analizar ahora',
  started: 'Análisis iniciado',
  notAttached: 'Este bucket no está asociado',
  notAttachedHint: 'Solo se analizan los buckets que muestran objetos de un motor S3.',
  needsManage: 'Se requiere el permiso “manage” en este bucket.',
  none: 'Todavía no hay análisis',
  // One that runs
  active: (status) => (status === 'queued' ? 'Análisis en cola' : 'Análisis en curso'),
  progress: 'Progreso del análisis',
  reading: 'Consultando cada objeto en el motor',
  marking: (n) =>
    `Comprobando ${plural(n, { one: 'objeto que el motor no listó', other: 'objetos que el motor no listó' })}`,
  at: 'En',
  // The list
  when: 'Iniciado',
  trigger: 'Motivo',
  triggers: (trigger) =>
    ({ attach: 'Primer análisis', request: 'Solicitado', schedule: 'Programado', take_over: 'Adopción' })[trigger],
  status: 'Estado',
  statuses: (status) =>
    ({
      queued: 'En cola',
      running: 'En curso',
      succeeded: 'Completado',
      held: 'Retenido',
      superseded: 'Sustituido',
    })[status],
  result: 'Resultado',
  took: 'Duración',
  details: (when) => `Detalles del análisis: ${when}`,
  listed: (n) => plural(n, { one: 'objeto listado', other: 'objetos listados' }),
  added: (n) => plural(n, { one: 'nuevo', other: 'nuevos' }),
  changed: (n) => plural(n, { one: 'modificado', other: 'modificados' }),
  foreign: (n) => plural(n, { one: 'ajeno', other: 'ajenos' }),
  changedByOthers: (n) => plural(n, { one: 'modificado por otros', other: 'modificados por otros' }),
  absent: (n) => plural(n, { one: 'sin listar', other: 'sin listar' }),
  missing: (n) => plural(n, { one: 'ausente', other: 'ausentes' }),
  removed: (n) => plural(n, { one: 'quitado', other: 'quitados' }),
  refused: (n) => plural(n, { one: 'no se puede mostrar', other: 'no se pueden mostrar' }),
  missingHint:
    'Los objetos ausentes se quitan cuando un segundo análisis y una última comprobación no los encuentran, 24 horas después como muy pronto.',
  why: 'Qué falla',
  by: 'Solicitado por',
  confirmedBy: 'Confirmado por',
  lastKey: 'Última clave',
  finished: 'Terminado',
  refusedTitle: 'Objetos que no se pueden mostrar',
  refusedFirst: (shown, all) => `Los primeros ${formatCount(shown)} de ${formatCount(all)}.`,
  key: 'Clave',
  reason: 'Motivo',
  // One that is held
  held: (reason) =>
    ({
      many_missing: 'Un análisis ha quedado retenido: faltan muchos objetos',
      empty: 'Un análisis ha quedado retenido: el motor no lista ningún objeto',
      listing_failed: 'Un análisis ha quedado retenido: la lista del motor está incompleta',
      disordered: 'Un análisis ha quedado retenido: la lista del motor no está en orden',
      changed: 'No se ha adoptado: otros han cambiado algo',
      unreadable: 'No se ha adoptado: un objeto no se puede leer',
    })[reason],
  notTakenOver: 'El bucket sigue siendo de solo lectura y en el motor no se ha cambiado nada.',
  untouched: 'No se ha marcado nada como ausente, por lo que todo se sigue mostrando.',
  advice: (reason) =>
    ({
      many_missing: 'Si siguen allí, compruebe el almacenamiento y vuelva a analizar.',
      empty: 'Si se vació a propósito, confirme el análisis. Si no, compruebe el almacenamiento y vuelva a analizar.',
      listing_failed: 'Compruebe el almacenamiento y vuelva a analizar.',
      disordered: 'Este motor no se puede analizar mientras liste las claves sin orden.',
      changed: 'Lo que cambiaron ya se muestra. Averigüe quién sigue escribiendo allí antes de volver a adoptarlo.',
      unreadable: 'Compruebe el objeto y las credenciales en el motor y vuelva a adoptarlo.',
    })[reason],
  absences: (n) => `Se marcarían como ausentes: ${objects(n)}`,
  noAbsences: 'Todos han vuelto entretanto. Vuelva a analizar.',
  size: 'Tamaño',
  modified: 'Modificado',
  confirm: 'Confirmar análisis…',
  confirmAdmins: 'Solo los administradores pueden confirmarlo.',
  confirmWaits: 'Espere a que termine el análisis en curso.',
  confirmTitle: (n) => `¿Marcar ${objects(n)} como ${n === 1 ? 'ausente' : 'ausentes'}?`,
  confirmLook: 'Antes, cada uno se vuelve a comprobar en el motor. Los que estén allí se mantienen.',
  confirmEffect:
    'Los objetos ausentes no se pueden abrir ni descargar. Los enlaces compartidos a ellos muestran que el archivo ya no está.',
  confirmLater:
    'Se quitan, con sus enlaces y etiquetas, cuando otro análisis tampoco los encuentra, 24 horas después como muy pronto.',
  confirmAction: 'Marcar como ausentes',
  confirmed: 'Análisis confirmado',
  toStorage: 'Abrir almacenamiento',
}

/** The way to a bucket that was taken over. */
export const takeOverText: Translation<typeof english.takeOverText> = {
  right: 'admin',
  title: 'Adoptar',
  heading: (bucket) => `Adoptar ${bucket}`,
  intro: 'Los objetos pasan a ser de este bucket. No se copian bytes: se quedan donde están.',
  // What it is about
  objects: 'Objetos',
  objectsOf: (n, size) => `${objects(n)}, ${size}`,
  place: 'Los bytes siguen en',
  requests: 'Solicitudes previas',
  requestsOf: (n) =>
    n === 0 ? 'Ninguna' : `${plural(n, { one: 'solicitud', other: 'solicitudes' })}: se consulta cada objeto.`,
  quietSince: 'Sin cambios desde',
  notScanned: 'Aún no se sabe',
  storage: 'Almacenamiento para los bytes nuevos',
  storageHint: 'Las subidas y las versiones nuevas se guardan allí.',
  quiet: 'Horas sin cambios',
  quietHint: 'Durante ese tiempo, los análisis no deben haber encontrado cambios de otros.',
  // What happens
  happens: 'Qué ocurre',
  willCompare:
    'Se consulta cada objeto y después un último análisis compara la lista. Si otros han cambiado algo, el bucket sigue siendo de solo lectura.',
  willWork: (storage) =>
    `Después funciona como cualquier otro bucket, con cuota, papelera, versiones, subidas y políticas de limpieza. Los bytes nuevos van al almacenamiento ${storage}.`,
  willDelete:
    'Lo que se elimine o sobrescriba aquí se elimina también en el motor, después de la papelera y del periodo de gracia.',
  willFind: 'Lo que otros cambien allí después se muestra como hallazgo. Nunca se incorpora al bucket.',
  // Whether it can be
  checkAgain: 'Volver a comprobar',
  ready: 'Se puede adoptar.',
  notReady: 'Todavía no se puede adoptar',
  problem: (code) =>
    ({
      not_scanned: 'Aún no ha terminado ningún análisis',
      not_quiet: 'Sin cambios durante muy poco tiempo',
      scan_held: 'El último análisis está retenido',
      missing: 'Faltan objetos',
      weak: 'El motor no tiene ETags',
      not_removable: 'Las credenciales no permiten eliminar',
      unreachable: 'El motor no responde como debería',
    })[code],
  busy: 'Hay un análisis en curso. Espere a que termine.',
  failed: 'No se puede comprobar',
  missing: (n) => plural(n, { one: 'objeto marcado como ausente', other: 'objetos marcados como ausentes' }),
  moreMissing: (n) => `Y ${formatCount(n)} más`,
  withoutMissing: 'Adoptar sin ellos',
  withoutMissingHint: 'Se buscan una vez más. El bucket olvida los que ya no están, y sus enlaces terminan.',
  confirmed: 'Nadie más escribe ya en este lugar',
  confirmedHint: 'Tampoco aplicaciones, copias de seguridad ni reglas de ciclo de vida del motor.',
  start: 'Adoptar',
  started: 'Adoptando el bucket',
  back: 'Atrás',
  scans: 'Ver sus análisis',
  settings: 'Configuración',
  browse: 'Abrir bucket',
  // While it runs
  runs: (bucket) => `Adoptando ${bucket}`,
  waits: 'El análisis empieza en un momento.',
  readingHint: 'Paso 1 de 2: se consulta cada objeto.',
  listingHint: 'Paso 2 de 2: se compara la lista del motor.',
  runsHint: 'Si otros han cambiado algo, el bucket sigue siendo de solo lectura. Puede salir de esta página.',
  // The end
  done: (bucket) => `El bucket ${bucket} se ha adoptado`,
  doneHint: (storage) =>
    `Ahora sus objetos se pueden cambiar y eliminar aquí. Los bytes nuevos van al almacenamiento ${storage}; los más antiguos se quedan donde están.`,
  doneTrash: (days) =>
    days === 0
      ? 'Su papelera está desactivada. La papelera y la cuota están en su configuración.'
      : `Su papelera conserva los archivos durante ${plural(days, { one: 'día', other: 'días' })}. La papelera y la cuota están en su configuración.`,
  notAttached: 'Este bucket no está asociado',
  notAttachedHint: 'Solo se pueden adoptar los buckets que muestran objetos de un motor S3.',
}

/** What others did where a bucket was taken over. */
export const findingText: Translation<typeof english.findingText> = {
  title: 'Hallazgos',
  hint: 'Lo que otros han cambiado en el motor desde que se adoptó este bucket. Nunca se incorpora al bucket.',
  none: 'No hay hallazgos',
  noneHint: 'Según el último análisis, otros no han cambiado nada en el lugar de origen de este bucket.',
  notTakenOver: 'Este bucket no se ha adoptado',
  notTakenOverHint: 'Los hallazgos son cambios de otros en buckets adoptados.',
  meaning: 'Qué significan',
  list: 'Encontrado',
  kind: 'Tipo',
  kinds: (kind) => ({ changed: 'Modificado', missing: 'Ausente', foreign: 'Ajeno' })[kind],
  meanings: (kind) =>
    ({
      changed:
        'Otros lo han sobrescrito en el motor. Si el motor conserva versiones, el objeto todavía se puede leer; si no, vuelva a subirlo o elimínelo aquí.',
      missing:
        'Otros lo han eliminado en el motor. Si el motor conserva versiones, el objeto todavía se puede leer; si no, vuelva a subirlo o elimínelo aquí.',
      foreign:
        'Otros lo han añadido en el motor. Aquí no se muestra: si lo quiere, súbalo aquí y después elimínelo allí.',
    })[kind],
  key: 'Clave en el motor',
  object: 'Objeto aquí',
  noObject: 'Sin objeto actual',
  size: 'Tamaño actual',
  gone: 'Ya no está',
  found: 'Encontrado',
  most: 'Se muestran los primeros 1000. El último análisis indica los totales.',
  toScans: 'Ver sus análisis',
  ends: 'Un hallazgo desaparece cuando un análisis ya no lo encuentra.',
}
