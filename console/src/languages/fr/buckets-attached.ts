import type * as english from '../../features/buckets/attached-messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const takeOverText: Translation<typeof english.takeOverText> = {
  title: 'Prendre en charge',
  cardHint:
    'Ses objets deviennent ceux du bucket, sans être copiés. Ils peuvent ensuite être renommés, remplacés et supprimés ici. D’autres ne doivent plus écrire à cet endroit.',
  open: 'Prendre en charge…',
  adminsOnly: 'Seuls les administrateurs peuvent le prendre en charge.',
}

export const releaseText: Translation<typeof english.releaseText> = {
  title: 'Libérer',
  hint: 'Écrit chaque objet sous sa propre clé sur un stockage S3. Ensuite, le bucket est en lecture seule et les affiche à cet endroit.',
  open: 'Libérer le bucket…',
  adminsOnly: 'Seuls les administrateurs peuvent le libérer.',
  heading: (bucket) => `Libérer ${bucket}`,
  storage: 'Écrire les objets sur',
  prefix: 'Préfixe',
  prefixHint: (place) => `Il ne doit encore rien y avoir à cet endroit. Sans préfixe, il s’agit de ${place}.`,
  noStorage: 'Aucun stockage S3 n’est activé. Ajoutez-en un d’abord.',
  check: 'Vérifier',
  refused: 'Le bucket ne peut pas être libéré',
  willWrite: (n, size) =>
    `${plural(n, { one: 'objet', other: 'objets' })} (${size}) : chacun y est écrit avec son type, ses en-têtes, ses métadonnées et ses étiquettes, puis relu et comparé.`,
  willLock:
    'Pendant ce temps, le bucket peut être lu mais pas modifié. Si vous annulez la tâche, il reste pris en charge.',
  willEnd: 'À la fin, il est en lecture seule et affiche les objets à cet endroit. Une seconde libération l’oublie.',
  willStay: 'Rien n’est supprimé à l’ancien endroit. Faites-le vous-même quand vous n’en aurez plus besoin.',
  start: 'Lancer la libération',
  started: 'Libération du bucket en cours',
}
