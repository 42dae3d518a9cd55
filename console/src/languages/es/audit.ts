import type * as english from '../../features/audit/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const records = (n: number) => plural(n, { one: 'entrada', other: 'entradas' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Registro de auditoría',
  hint: 'Quién hizo qué, cuándo, desde dónde y con qué resultado.',
  // Filters
  filters: 'Filtros',
  filtersSet: (n) => (n === 0 ? 'Filtros' : `Filtros (${n})`),
  actor: 'Autor',
  actorHint: 'Nombre, correo electrónico o ID de usuario',
  actorIncomplete: 'Seleccione un usuario o introduzca una dirección de correo o un ID completos.',
  action: 'Acción',
  anyAction: 'Cualquier acción',
  bucket: 'Bucket',
  key: 'La clave empieza por',
  from: 'Desde',
  to: 'Hasta',
  result: 'Resultado',
  anyResult: 'Cualquiera',
  success: 'Correcto',
  denied: 'Denegado',
  failure: 'Error',
  ip: 'Dirección IP',
  request: 'ID de solicitud',
  about: 'Relacionado con (ID)',
  clear: 'Borrar filtros',
  emptyTitle: 'Todavía no hay entradas',
  // The list
  time: 'Hora',
  where: 'Destino',
  address: 'Dirección IP',
  record: (action) => `Entrada: ${action}`,
  copyJson: 'Copiar como JSON',
  part: (number, of) => `parte ${formatCount(number)} de ${formatCount(of)}`,
  isPart: 'Este cambio no cabía en una sola entrada.',
  showWhole: 'Mostrar el cambio completo',
  partsGone: 'Algunas partes de este cambio faltan o han caducado.',
  linked: 'Entrada vinculada',
  noRecord: 'Esta entrada no existe o ha caducado.',
  close: 'Cerrar',
  total: (n, more) => (more ? `Más de ${records(n)}` : records(n)),
  pat: 'token',
  session: 'sesión',
  link: 'enlace',
  system: 'sistema',
  cli: 'línea de comandos',
  engine: 'motor de almacenamiento',
  nobody: 'sin iniciar sesión',
  aToken: 'con un token de acceso personal',
  aSession: 'con la sesión iniciada',
  aLink: 'con un enlace compartido o una URL firmada',
  anEngine: 'otra persona lo cambió en el motor S3 y se detectó allí',
  // Live
  live: 'En directo',
  fresh: (n, more) => {
    const count = plural(n, { one: 'entrada nueva', other: 'entradas nuevas' })
    return more ? `Más de ${count}` : count
  },
  // Export
  export: 'Exportar',
  csv: 'CSV',
  ndjson: 'NDJSON',
  streams: 'Todas las entradas que cumplen los filtros se escriben en un archivo a medida que llegan.',
  holds:
    'Todas las entradas que cumplen los filtros. Este navegador mantiene el archivo en memoria hasta que está completo.',
  exported: (name) => `Se ha guardado ${name}`,
  // Verification
  verify: 'Verificar',
  verifyTitle: 'Verificar la integridad del registro',
  verifying: (n) => `${plural(n, { one: 'entrada comprobada', other: 'entradas comprobadas' })}…`,
  whole: 'El registro está íntegro',
  wholeText: (n, checkpoints) =>
    `Comprobado: ${records(n)} y ${plural(checkpoints, { one: 'punto de control', other: 'puntos de control' })}. Todos los hashes y firmas son válidos.`,
  nothing: 'Todavía no hay entradas selladas, por lo que no hay nada que verificar.',
  pending: (n) =>
    `${plural(n, { one: 'entrada reciente aún no está sellada', other: 'entradas recientes aún no están selladas' })}.`,
  removed: (seq) => `Las entradas hasta el eslabón ${formatCount(seq)} se quitaron al acabar su periodo de retención.`,
  broken: (n) => `La integridad no se ha podido confirmar: ${plural(n, { one: 'problema', other: 'problemas' })}`,
  brokenText: (n) =>
    n === 1 ? 'Encontrado en 1 entrada comprobada.' : `Encontrado en ${formatCount(n)} entradas comprobadas.`,
  faults: 'Problemas',
  more: (n) => `y ${formatCount(n)} más`,
  link_at: (seq) => `Eslabón ${formatCount(seq)}`,
  edited: 'Entrada modificada',
  missing: 'Falta una entrada',
  swapped: 'Entradas intercambiadas',
  forged: 'Entrada no escrita por este servicio',
  tail: 'Faltan las entradas más recientes',
  gap: 'Faltan entradas intermedias',
  checkpoint: 'El punto de control no coincide',
  retention: 'Entradas quitadas antes de que acabara su periodo de retención',
}
