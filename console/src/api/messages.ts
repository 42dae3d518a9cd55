import { catalogue } from '../i18n.ts'

export const text = catalogue('api.text', {
  unreachable: 'Can’t reach the server',
  unreachableHint: 'Check your connection, then try again.',
  needs: (right: string, place: string | undefined) =>
    place === undefined ? `You need the “${right}” permission.` : `You need the “${right}” permission on ${place}`,
  broken: 'Something went wrong',
  sentence: (words: string) => `${words}.`,
  later: 'Try again later.',
})
