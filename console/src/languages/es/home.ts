import type * as english from '../../features/home/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Inicio',
  // First steps
  firstSteps: 'Complete la configuración',
  progress: (done, all) => `${formatCount(done)} de ${formatCount(all)} hechos`,
  hide: 'Ocultar',
  password: 'Reemplazar la contraseña generada',
  passwordHint: 'El servicio la mostró al iniciarse, así que puede estar en un registro.',
  bucket: 'Crear un bucket',
  bucketHint: 'O asocie uno que ya esté en un motor S3.',
  people: 'Añadir usuarios',
  peopleHint: 'Cree cuentas, y grupos que determinen quién puede hacer qué.',
  sso: 'Configurar el inicio de sesión único',
  ssoHint: 'Los usuarios inician sesión con las cuentas que ya tienen.',
  client: 'Conectar un cliente S3',
  clientHint: 'Cree una clave de acceso para rclone, la AWS CLI o sus copias de seguridad.',
  webhook: 'Enviar eventos a un webhook',
  webhookHint: 'Informe a sus propios servicios de lo que cambia aquí.',
  done: 'Hecho',
  open: 'Pendiente',
  // Key figures
  buckets: 'Buckets',
  objects: 'Objetos',
  stored: 'Almacenado',
  inTrash: 'En la papelera',
  withoutFolders: 'Sin los buckets en los que solo tiene carpetas',
  // Attention
  attention: 'Requiere atención',
  nothing: 'Nada requiere su atención.',
  diskShort: 'El disco está casi lleno. Las subidas se rechazan hasta que haya espacio.',
  diskNearlyFull: (free) => `El disco se está llenando: quedan ${free} libres.`,
  storageDown: (name) => `El almacenamiento ${name} no responde.`,
  historyFull: (bucket) => `Las instantáneas de ${bucket} conservan más que el límite. No se crean más.`,
  full: (bucket) => `${bucket} está lleno. Se rechazan las subidas nuevas.`,
  nearlyFull: (bucket, share) => `${bucket} está lleno al ${share}.`,
  webhookOff: (name) => `El webhook ${name} se desactivó porque falló demasiadas veces.`,
  webhookFailing: (name) => `El webhook ${name} falla. Primer error:`,
  webhookFails: (name, n) =>
    `${plural(n, { one: 'entrega', other: 'entregas' })} al webhook ${name} con errores en las últimas 24 horas.`,
  tokenExpires: (name) => `El token de acceso ${name} caduca pronto:`,
  keyExpires: (name) => `La clave de acceso ${name} caduca pronto:`,
  scanHeld: (bucket) => `Un análisis de ${bucket} espera confirmación.`,
  findings: (bucket, n) =>
    `Otros han cambiado ${plural(n, { one: 'objeto', other: 'objetos' })} de ${bucket} en su motor.`,
  // Work in progress, buckets
  running: 'Tareas en curso',
  largest: 'Buckets más grandes',
  allBuckets: 'Todos los buckets',
}
