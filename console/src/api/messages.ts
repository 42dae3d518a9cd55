import { catalogue } from '../i18n.ts'

export const text = catalogue('api.text', {
  unreachable: 'Can’t reach the server',
  unreachableHint: 'Check your connection, then try again.',
  broken: 'Something went wrong',
})
