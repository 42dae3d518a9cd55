/** What is used of MCP's SDK. Packaging makes this module one file that needs no other package (scripts/package.ts). */

export type { JSONRPCMessage, JSONRPCRequest, MessageClassification } from '@modelcontextprotocol/server'
export {
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  PerRequestHTTPServerTransport,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
export { default as papaparse } from 'papaparse'
