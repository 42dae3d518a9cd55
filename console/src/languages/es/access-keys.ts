import type * as english from '../../features/access-keys/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Claves de acceso',
  hint: 'Para clientes S3. Una clave actúa en su nombre, con sus permisos actuales y dentro de sus límites.',
  off: 'Este servicio no tiene ningún endpoint S3. Defina S3_PORT para usar claves de acceso.',
  create: 'Nueva clave de acceso',
  nameHint: 'Qué usa la clave, por ejemplo “restic en el NAS”.',
  id: 'ID de clave de acceso',
  secret: 'Clave de acceso secreta',
  count: (n) => plural(n, { one: 'clave de acceso', other: 'claves de acceso' }),
  actions: (name) => `Acciones para la clave de acceso ${name}`,
  emptyTitle: 'Todavía no hay claves de acceso',
  emptyHint:
    'Cree una para una herramienta de copias de seguridad, un cliente de sincronización o un SDK compatible con S3.',
  onlyEnded: 'No hay claves de acceso activas',
  onlyEndedHint: 'Las claves caducadas y revocadas están ocultas.',
  revokeTitle: (name) => `¿Revocar ${name}?`,
  revokeText: 'Todo lo que la use pierde el acceso de inmediato. Esta acción no se puede deshacer.',
  revokeAction: 'Revocar clave de acceso',
  revoked: (name) => `Se ha revocado ${name}`,
  revealTitle: 'Su nueva clave de acceso',
  rotatedTitle: 'Su nuevo secreto',
  // A new key
  who: 'Nombre y caducidad',
  limits: 'Límites',
  make: 'Crear clave de acceso',
  cancel: 'Cancelar',
  // Connecting
  connect: 'Conexión',
  connectHint: 'Configuración para clientes S3. Sirve cualquier región.',
  endpoint: 'Endpoint',
  region: 'Región',
  bucket: 'Bucket',
  client: 'Cliente',
  settings: 'Configuración',
  needsKey: 'Sustituya el ID de clave de acceso y el secreto por los de una clave de acceso.',
  keyFor: 'Nueva clave para este bucket',
  s3: 'Clientes S3',
  website: 'Sitio web',
  websiteHint:
    'Los clientes S3 definen el documento índice, el de error y las redirecciones; después el bucket se muestra en esta dirección.',
  websiteUrl: 'Dirección',
  websiteSetUp: 'Configurar',
  websitePublic:
    'Los visitantes solo ven lo que es público. El acceso público debe estar activado en la configuración y no bloqueado para este bucket.',
  api: 'API, línea de comandos y TypeScript',
  apiHint: 'Con un token de acceso en lugar de YOUR_TOKEN.',
  tokenFor: 'Nuevo token para este bucket',
}
