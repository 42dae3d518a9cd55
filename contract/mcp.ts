import Type from 'typebox'
import { route } from './route.ts'

/** Bytes of contents that one call can write, as base64 with what is around it. */
const BODY_LIMIT = 1_500_000

export const operations = {
  callMcp: route({
    method: 'POST',
    url: '/mcp',
    root: true,
    tag: 'agents',
    summary: 'Call the MCP server',
    description:
      'The Model Context Protocol over Streamable HTTP: one JSON-RPC message, answered by itself. Needs the token of an agent, one with a scope, or an access token of OAuth. Its tools do what the operations of this API do, within the same limits; docs/mcp.md lists them.',
    access: 'signed_in',
    oauth: true,
    status: 200,
    otherStatus: [202],
    headers: Type.Object({
      accept: Type.Optional(Type.String()),
      'mcp-protocol-version': Type.Optional(Type.String()),
      'mcp-method': Type.Optional(Type.String()),
      'mcp-name': Type.Optional(Type.String()),
    }),
    body: Type.Unknown({ description: 'A message of JSON-RPC 2.0.' }),
    bodyLimit: BODY_LIMIT,
    produces: 'bytes',
    media: ['application/json', 'text/event-stream'],
    errors: ['forbidden'],
    records: ['upload', 'copy', 'move', 'delete', 'update_object', 'share_create', 'share_revoke', 'approval_request'],
  }),
}
