import type * as english from '../../features/buckets/attached-messages.ts'
import { plural, type Translation } from '../../i18n.ts'

/** The way to take a read-only bucket over. */
export const takeOverText: Translation<typeof english.takeOverText> = {
  title: 'Adoptar',
  cardHint:
    'Sus objetos pasan a ser del propio bucket sin copiarse. A partir de entonces se les puede cambiar el nombre, sobrescribir y eliminar aquí. Nadie más debe seguir escribiendo allí.',
  open: 'Adoptar…',
  adminsOnly: 'Solo los administradores pueden adoptarlo.',
}

/** The way back of a bucket that was taken over. */
export const releaseText: Translation<typeof english.releaseText> = {
  title: 'Liberar',
  hint: 'Escribe cada objeto con su propia clave en un almacenamiento S3. Después, el bucket es de solo lectura y los muestra allí.',
  open: 'Liberar bucket…',
  adminsOnly: 'Solo los administradores pueden liberarlo.',
  heading: (bucket) => `Liberar ${bucket}`,
  storage: 'Escribir los objetos en',
  prefix: 'Prefijo',
  prefixHint: (place) => `Todavía no debe contener nada. Sin prefijo, el lugar es ${place}.`,
  noStorage: 'No hay ningún almacenamiento S3 activado. Añada uno antes.',
  check: 'Comprobar',
  refused: 'No se puede liberar el bucket',
  willWrite: (n, size) =>
    `${plural(n, { one: 'objeto', other: 'objetos' })} (${size}): cada uno se escribe allí con su tipo, cabeceras, metadatos y etiquetas; después se vuelve a leer y se compara.`,
  willLock: 'Mientras tanto, el bucket se puede leer, pero no cambiar. Si cancela la tarea, sigue adoptado.',
  willEnd: 'Al terminar, es de solo lectura y muestra los objetos de allí. Una segunda liberación lo olvida.',
  willStay: 'En el lugar anterior no se elimina nada. Elimínelo allí cuando ya no lo necesite.',
  start: 'Iniciar liberación',
  started: 'Liberando el bucket',
}
