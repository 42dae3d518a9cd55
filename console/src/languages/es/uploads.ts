import type * as english from '../../features/uploads/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const files = (n: number) => plural(n, { one: 'archivo', other: 'archivos' })

export const text: Translation<typeof english.text> = {
  files,
  // Dialog
  title: 'Subir',
  target: 'Destino',
  dropHere: 'Suelte aquí archivos o carpetas',
  chooseFiles: 'Elegir archivos',
  chooseFolder: 'Elegir carpeta',
  reading: (n) => (n === 0 ? 'Leyendo archivos…' : `Leyendo archivos: ${formatCount(n)} hasta ahora…`),
  chosen: (n, size) => `${files(n)}, ${size}`,
  more: (n) => `y ${formatCount(n)} más`,
  startOver: 'Borrar',
  hidden: 'Omitir archivos ocultos',
  hiddenHint: 'Archivos que empiezan por un punto y archivos del sistema como Thumbs.db.',
  leftOut: (n) => plural(n, { one: 'archivo oculto omitido', other: 'archivos ocultos omitidos' }),
  emptyFolders: (n) => plural(n, { one: 'carpeta vacía omitida', other: 'carpetas vacías omitidas' }),
  notRead: (n) =>
    n === 1
      ? 'El navegador no puede leer 1 elemento y no se subirá:'
      : `El navegador no puede leer ${formatCount(n)} elementos y no se subirán:`,
  sameName: (n) =>
    n === 1
      ? 'Se eligieron dos archivos distintos para 1 nombre. Solo se subirá el último:'
      : `Se eligieron dos archivos distintos para cada uno de ${formatCount(n)} nombres. Solo se subirán los últimos:`,
  nothing: 'No se encontraron archivos.',
  willResume: (n, sent, all) =>
    n === 1
      ? `Se reanudará 1 subida interrumpida; recibido: ${sent} de ${all}.`
      : `Se reanudarán ${formatCount(n)} subidas interrumpidas; recibido: ${sent} de ${all}.`,
  ifTaken: 'Si ya existe un archivo',
  ask: 'Preguntar',
  replace: 'Reemplazar',
  skip: 'Omitir',
  both: 'Conservar ambos',
  noRoom: (free, size) =>
    `En este bucket solo quedan ${free}, pero ha seleccionado ${size}. Los archivos que no quepan no se subirán.`,
  denied: (n) => `No tiene el permiso “write” para ${files(n)}.`,
  upload: (n) => (n === 0 ? 'Subir' : `Subir ${files(n)}`),
  alreadyUploading: 'Estos archivos ya se están subiendo.',

  // Dock
  uploads: 'Subidas',
  indicator: (percent) => `Subidas: ${percent} %`,
  uploading: (done, all) => `Subiendo: ${formatCount(done)} de ${files(all)}`,
  heldTitle: (done, all) => `En pausa: ${formatCount(done)} de ${files(all)}`,
  waitingTitle: (done, all) => `En espera: ${formatCount(done)} de ${files(all)}`,
  finished: (n) => (n === 0 ? 'No se ha subido nada' : plural(n, { one: 'archivo subido', other: 'archivos subidos' })),
  resumableTitle: (n) => plural(n, { one: 'subida se puede reanudar', other: 'subidas se pueden reanudar' }),
  progress: (sent, all) => `${sent} de ${all}`,
  arrivedOf: (sent, all) => `Recibido: ${sent} de ${all}`,
  rate: (rate) => `${rate}/s`,
  left: (time) => `Quedan ${time}`,
  pauseAll: 'Pausar todo',
  resumeAll: 'Reanudar todo',
  cancelAll: 'Cancelar todo',
  cancelAllQuestion: (n) =>
    `${plural(n, { one: 'archivo no se subirá', other: 'archivos no se subirán' })}. Las subidas completadas se mantienen.`,
  expand: 'Mostrar archivos',
  collapse: 'Ocultar archivos',
  closeDock: 'Cerrar',
  hideDock: 'Ocultar por ahora',
  pause: (name) => `Pausar ${name}`,
  resume: (name) => `Reanudar ${name}`,
  retry: (name) => `Reintentar ${name}`,
  cancel: (name) => `Cancelar ${name}`,
  retryAll: (n) => `Reintentar ${files(n)}`,
  offline: 'No se puede conectar con el servidor. Las subidas se reanudarán automáticamente.',
  bucketFull: (bucket, n, missing) => `“${bucket}” está lleno: ${files(n)} sin subir, faltan ${missing}.`,
  bucketStopped: (detail, n) => `${detail} ${files(n)} sin subir.`,
  continues: 'Las subidas continúan cuando hay espacio.',
  tryAgain: 'Reintentar',
  conflicts: (n) => `${plural(n, { one: 'archivo ya existe', other: 'archivos ya existen' })}.`,
  decide: 'Revisar…',
  earlier: 'Subidas anteriores',
  lost: (n) =>
    n === 1
      ? '1 subida se interrumpió. Elija el mismo archivo para reanudarla.'
      : `${formatCount(n)} subidas se interrumpieron. Elija los mismos archivos para reanudarlas.`,
  goOn: 'Reanudar',
  discard: 'Descartar',
  discardQuestion: (n) =>
    n === 1 ? 'Se quitará 1 subida interrumpida.' : `Se quitarán ${formatCount(n)} subidas interrumpidas.`,
  attached: (n) =>
    n === 0
      ? 'Ninguno de estos archivos corresponde a una subida interrumpida.'
      : plural(n, { one: 'archivo reanudado', other: 'archivos reanudados' }),
  notAllowed: 'El navegador denegó el acceso a los archivos. Elíjalos de nuevo.',
  moreRows: (n) => `${files(n)} más`,
  loose: 'Archivos sueltos',
  groupState: (done, all) => `${formatCount(done)} de ${formatCount(all)}`,
  showGroup: (name) => `Archivos de ${name}`,

  // States
  checking: 'Comprobando',
  queued: 'En cola',
  held: 'En pausa',
  running: 'Subiendo',
  noConnection: 'Esperando al servidor',
  completing: 'Terminando',
  full: 'Bucket lleno',
  paused: 'En pausa',
  error: 'Error',
  conflict: 'Ya existe',
  conflictIdentical: 'Ya existe, idéntico',
  lostState: 'Elija el archivo para reanudar',
  done: 'Listo',
  skipped: 'Omitido',
  cancelled: 'Cancelado',

  // Conflicts
  conflictsTitle: (n) => plural(n, { one: 'archivo ya existe', other: 'archivos ya existen' }),
  conflictsHint:
    'Los demás archivos se siguen subiendo. Las versiones reemplazadas van a la papelera si el bucket tiene una.',
  name: 'Nombre',
  there: 'Existente',
  identical: 'Idéntico',
  skipIdentical: (n) => `Omitir ${formatCount(n)} idénticos`,
  yours: 'Nuevo',
  choice: 'Acción',
  unknown: 'Desconocido',
  forAll: (n) => `Aplicar a todos (${formatCount(n)})`,
  shownFirst: (shown, all) => `Se muestran los primeros ${formatCount(shown)} de ${formatCount(all)}`,
  later: 'Decidir más tarde',

  // What the engine finds wrong
  badName: 'Este nombre no está permitido',
  badNameHint: 'Los nombres pueden tener como máximo 1024 bytes, incluidas las carpetas, y ningún carácter nulo.',
  unreadable: 'No se pudo leer el archivo',
  unreadableHint: 'Se ha modificado, movido o eliminado en este equipo. Elíjalo de nuevo.',
  otherFile: 'Este archivo es otro',
  otherFileHint: 'La parte que ya se subió es de otro archivo.',
  unreachable: 'Conexión perdida',
  unreachableHint: 'La conexión falla una y otra vez. Inténtelo más tarde.',

  // Unfinished uploads of a bucket
  unfinished: 'Subidas sin terminar',
  unfinishedHint:
    'Subidas grandes que no se terminaron. Cuentan para la cuota hasta que se reanuden, se cancelen o caduquen.',
  key: 'Clave',
  arrived: 'Subido',
  begun: 'Iniciada',
  by: 'Iniciada por',
  you: 'Usted',
  somebody: 'Otro usuario',
  expires: 'Caduca',
  actions: 'Acciones',
  unknownSize: 'tamaño desconocido',
  noneTitle: 'No hay subidas sin terminar',
  noneHint: 'Las subidas interrumpidas aparecen aquí. Puede reanudarlas o cancelarlas.',
  resumeUpload: 'Reanudar',
  resumeHint: (key) => `Elija el archivo para ${key}`,
  wrongSize: (wanted, is) => `Este archivo tiene ${is}, pero la subida necesita ${wanted}.`,
  cancelThis: 'Cancelar',
  abort: 'Cancelar subida',
  abortTitle: '¿Cancelar esta subida?',
  abortText: (key, bytes) => `Se elimina la parte ya subida de “${key}” (${bytes}).`,
  aborted: 'Subida cancelada',
  runsHere: 'En esta ventana',
  open: 'Sin terminar',
}
