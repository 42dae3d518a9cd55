import { catalogue } from '../i18n.ts'

export const text = catalogue({
  unreachable: 'The server cannot be reached',
  unreachableHint: 'Is the network up? Try again.',
  broken: 'Something went wrong',
})
