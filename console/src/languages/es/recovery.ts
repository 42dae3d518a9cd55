import type * as english from '../../features/recovery/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const copies = (n: number) => plural(n, { one: 'copia', other: 'copias' })
const days = (n: number) => plural(n, { one: 'día', other: 'días' })

export const text: Translation<typeof english.text> = {
  title: 'Protección',
  hint: '¿Qué puede perderse, y cómo se recupera?',
  right: 'admin',
  // Contents of files
  contents: 'Contenido de los archivos',
  oneCopy: (mirrored) => `Solo hay una copia. Si ${mirrored} se pierde, su contenido se pierde.`,
  twoCopies: (mirror) => `Todo tiene una segunda copia en ${mirror}.`,
  filling: (mirror) =>
    `Lo que ya estaba aún se está copiando a ${mirror}. Si este lugar se pierde ahora, el resto se pierde.`,
  due: (n, mirror) => `Aún no en ${mirror}: ${copies(n)}. Si este lugar se pierde ahora, se pierden.`,
  oldest: 'La más antigua está pendiente desde',
  acknowledges: (acknowledge) =>
    acknowledge === 'one'
      ? 'Una subida termina cuando una copia está escrita. La otra le sigue.'
      : 'Una subida termina cuando ambas copias están escritas.',
  whenDown: (down) =>
    down === 'refuse'
      ? 'Mientras un lugar no funciona, las subidas se rechazan.'
      : 'Mientras un lugar no funciona, las subidas continúan con una copia.',
  keeps: (n) =>
    n === 0 ? 'Lo que se quita se quita de ambos.' : `Lo que se quita permanece en el espejo durante ${days(n)}.`,
  locks: (mirror) =>
    `${mirror} bloquea las copias (Object Lock): hasta entonces nadie puede destruirlas allí, ni siquiera con sus claves.`,
  wayBack: (name, mirror) => `Si ${name} se pierde: cambie a ${mirror}. No se copia nada.`,
  switched: (place) => `Se cambió: el contenido se lee primero en el lugar de ${place}.`,
  neverRead: 'Nunca se ha leído entero para buscar daños.',
  reading: 'Se está leyendo entero para buscar daños, desde',
  readWhole: (checked) => `Leído entero: ${copies(checked)}, sin daños.`,
  readDamaged: (checked, damaged) => `Leído entero: ${copies(checked)}, ${formatCount(damaged)} ausentes o dañadas.`,
  repairs: 'Mostrar reparaciones',
  setUp: 'Configurar espejo…',
  change: 'Cambiar espejo…',
  switchTo: (mirror) => `Cambiar a ${mirror}…`,
  switchTitle: (name, mirror) => `¿Cambiar ${name} a ${mirror}?`,
  switchText: (name, mirror) =>
    `Todo se lee entonces de ${mirror} y se escribe primero allí. ${name} pasa a ser el espejo y recibe lo que le falta. El mismo botón es el camino de vuelta.`,
  switchMissing: (n) => `Lo que aún falta allí (${copies(n)}) no podrá leerse hasta que vuelva el otro lugar.`,
  switchDo: 'Cambiar',
  switchedTo: (mirror) => `Cambiado a ${mirror}`,
  // The dialog of a mirror
  mirrorTitle: (name) => `Espejo de ${name}`,
  mirrorHint: 'Un segundo lugar para todos sus bytes, mejor en otra máquina. Lo que ya hay se copia en segundo plano.',
  mirror: 'Almacenamiento de la segunda copia',
  noOther: 'Aún no hay otro almacenamiento. Registre uno primero.',
  register: 'Registrar un almacenamiento',
  acknowledge: 'Una subida termina',
  acknowledgeOne: 'Cuando una copia está escrita',
  acknowledgeBoth: 'Cuando ambas copias están escritas',
  down: 'Mientras un lugar no funciona',
  downRefuse: 'Rechazar las subidas',
  downContinue: 'Continuar con una copia',
  keepDays: 'Conservar lo que se quita (días)',
  keepDaysHint: 'Permanece en el espejo, a salvo de errores y de ladrones en esta máquina.',
  saved: 'Espejo guardado',
  turnOff: 'Desactivar espejo',
  turnOffTitle: (name) => `¿Desactivar el espejo de ${name}?`,
  turnOffText: 'El contenido nuevo tendrá entonces una sola copia. Lo que está en el espejo permanece allí.',
  turnedOff: 'Espejo desactivado',
  // The database
  database: 'Nombres, usuarios y ajustes',
  databaseOff:
    'La base de datos no tiene ninguna segunda copia que esta página conozca. Si se pierde, se pierden todos los nombres, usuarios, permisos y ajustes, y sin ellos no se puede encontrar el contenido.',
  databaseHow:
    'Con SQLite, asigne a esta variable una carpeta en otro disco o un motor S3, y reinicie. Con PostgreSQL, use su propia replicación.',
  databaseCopying: (place) =>
    `La primera copia de la base de datos se está escribiendo en ${place}. Hasta que esté completa, no se puede recuperar nada de allí.`,
  databaseFollows: (place) => `Cada cambio de la base de datos se copia a ${place}.`,
  databaseLoses: (span) => `Si esta máquina se pierde ahora, se pierden los cambios de los últimos ${span}.`,
  databaseFailing: (place) => `La copia en ${place} no se puede escribir:`,
  databaseStill: 'Todo se puede recuperar hasta',
  databaseFenced: 'Otra instancia ha tomado el relevo. Esta ya no debe escribir.',
  waiting: (size) => `Pendiente de copiar: ${size}.`,
  base: (size) => `La copia completa más reciente ocupa ${size}, de`,
  recover: 'En una máquina vacía, esta orden lo recupera todo:',
  backupState: (state) =>
    ({
      off: 'Sin copia',
      copying: 'Iniciando',
      following: 'Al día',
      failing: 'Con errores',
      fenced: 'Reemplazada',
    })[state],
  // Replicas
  replicas: 'Réplicas para otros',
  noReplicas:
    'Ningún bucket tiene réplica. Una réplica es un bucket de otro motor S3 con los mismos archivos con los mismos nombres, legible sin este servicio.',
  bucket: 'Bucket',
  place: 'Réplica',
  state: 'Estado',
  paused: 'En pausa',
  broken: 'No se puede escribir',
  someFailed: (n) => `${formatCount(n)} fallidos`,
  replicaFilling: 'Llenándose',
  behind: 'Poniéndose al día',
  upToDate: 'Al día',
  lag: 'Retraso',
  lagOf: (span, n, size) => `${span} (${plural(n, { one: 'objeto', other: 'objetos' })}, ${size})`,
  none: 'Ninguno',
  replicate: 'Replicar un bucket…',
  edit: (bucket) => `Cambiar la réplica de ${bucket}`,
  pause: (bucket) => `Pausar la réplica de ${bucket}`,
  resume: (bucket) => `Reanudar la réplica de ${bucket} y reintentar lo fallido`,
  stop: (bucket) => `Dejar de replicar ${bucket}`,
  stopTitle: (bucket) => `¿Dejar de replicar ${bucket}?`,
  stopText: 'Lo que está en la réplica permanece allí.',
  stopDo: 'Dejar de replicar',
  stopped: 'Replicación detenida',
  replicaTitle: 'Replicar un bucket',
  replicaHint:
    'Los objetos se escriben allí con cada cambio. Lo que otros escriben allí con los mismos nombres se sobrescribe.',
  target: 'Almacenamiento',
  noTarget: 'Una réplica necesita un almacenamiento registrado en un motor S3.',
  targetPrefix: 'Con el prefijo allí',
  targetPrefixHint: 'Déjelo vacío para el del almacenamiento.',
  onlyPrefix: 'Solo esta carpeta',
  onlyPrefixHint: 'Déjelo vacío para todo el bucket.',
  deletes: 'Eliminar allí lo que se elimina aquí',
  existing: 'Incluir lo que ya hay',
  replicaDo: 'Iniciar replicación',
  replicaSaved: (bucket) => `Réplica de ${bucket} guardada`,
  rules: (n) => `Tiene ${formatCount(n)} reglas, que solo puede cambiar la línea de órdenes. Guardar las reemplaza.`,
  // Encryption
  encryption: 'Robo de discos',
  encrypted: (share, part, all) => `${share} de lo almacenado está cifrado (${part} de ${all}).`,
  notEncrypted: 'Nada de lo almacenado está cifrado: quien tenga un disco puede leerlo.',
  encryptHow: 'La página Protección de cada bucket lo cifra. El ajuste para buckets nuevos está en los ajustes.',
  settings: 'Ajustes',
  keys: 'Claves de cifrado',
  // Mistakes
  mistakes: 'Errores y claves robadas',
  kept: (n) =>
    `Los archivos reemplazados y eliminados pueden restaurarse en todas partes (${plural(n, { one: 'bucket', other: 'buckets' })}).`,
  notKept: 'En estos buckets, las eliminaciones son definitivas: no tienen papelera ni versiones.',
  undoHow:
    'La página Historial de un bucket lo muestra en cualquier momento, qué ha cambiado desde entonces y quién lo hizo, y vuelve atrás.',
}
