/** Where an operation is on the server: its URL with its parameters as templates. */
export const pathOf = ({ root, url }: { readonly root?: boolean; readonly url: string }): string =>
  root ? url : `/api/v1${url}`
