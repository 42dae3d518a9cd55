/** What is used of MCP's SDK. Packaging makes this module one file that needs no other package (scripts/package.ts). */

export { createMcpHandler, Server } from '@modelcontextprotocol/server'
export { default as papaparse } from 'papaparse'
