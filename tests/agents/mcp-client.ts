import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'

/** Which revisions a client of the SDK speaks: the latest, or those of before it. */
export type Era = 'latest' | 'before'

interface Called {
  data: { [field: string]: unknown }
  error?: { [field: string]: unknown }
  content: { type: string; [field: string]: unknown }[]
}

/** A client of the SDK on a transport, which checks results against the tools' shapes. */
export async function connectMcp(transport: Transport, era: Era = 'latest') {
  const client = new Client(
    { name: 'tests', version: '1' },
    era === 'latest' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  await client.connect(transport)
  const { tools } = await client.listTools()
  /** What a tool answers: its data, or the error that it tells. */
  async function call(name: string, args: object = {}): Promise<Called> {
    const { content, structuredContent, isError } = (await client.callTool({ name, arguments: { ...args } })) as {
      content: Called['content']
      structuredContent?: Called['data']
      isError?: boolean
    }
    const text = JSON.parse(String(content[0]?.text))
    if (isError) return { data: {}, error: text.error, content }
    assert.deepEqual(text, structuredContent, 'clients that know no structured results get the same')
    return { data: text as Called['data'], content }
  }
  return { client, tools, call }
}

/** A client of the SDK over HTTP. */
export const connectHttp = (url: string, token: string, era: Era = 'latest') =>
  connectMcp(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
    era,
  )
