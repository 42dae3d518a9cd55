/** An operation's URL on the server, with its parameters as templates. */
export const pathOf = ({ root, url }: { readonly root?: boolean; readonly url: string }): string =>
  root ? url : `/api/v1${url}`
