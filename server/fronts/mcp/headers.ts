/** What of a request's headers the protocol looks at. */
export const HEADERS = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
] as const
export type Headers = { readonly [name in (typeof HEADERS)[number]]?: string }
