// MCP over standard input and output: each line is a message, passed on to the service's own MCP server.
import readline from 'node:readline'
import { type Client, ProblemError } from '../client/index.ts'
import { describe, print } from './run.ts'

interface Message {
  id?: string | number
  method?: string
  params?: { name?: string; uri?: string; protocolVersion?: string; _meta?: { [name: string]: unknown } }
}

/** Calls in flight at a time; further lines are not read meanwhile. */
const MOST = 8
/** More than the service takes. */
const LINE_LIMIT = 2_000_000
const VERSION = 'io.modelcontextprotocol/protocolVersion'
/** Codes of JSON-RPC. */
const PARSE_ERROR = -32700
const INTERNAL_ERROR = -32603

/** Serves one client until it closes our standard input. */
export async function serveMcp(client: Client): Promise<void> {
  const running = new Set<Promise<void>>()
  /** Of clients before the revision that says it in each message: what `initialize` has settled. */
  let settled: string | undefined
  const pass = async (line: string) => {
    const message = read(line)
    if (!message)
      return void (await write({ error: { code: PARSE_ERROR, message: 'This is no JSON-RPC message.' }, id: null }))
    const { id, method } = message
    try {
      const response = await client.callMcp({ body: message, headers: headersOf(message, settled) })
      for (const answer of answersIn(response, await response.text())) {
        if (method === 'initialize') settled = (answer as { result?: Message['params'] }).result?.protocolVersion
        await write(answer)
      }
    } catch (error) {
      // Nobody waits for the answer to a notification.
      if (id === undefined) return void process.stderr.write(`strongroom: ${describe(error)}\n`)
      const data = error instanceof ProblemError ? { data: error.problem } : {}
      await write({ id, error: { code: INTERNAL_ERROR, message: describe(error), ...data } })
    }
  }
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const work = pass(line).finally(() => running.delete(work))
    running.add(work)
    // What follows depends on what it settles.
    if (line.includes('"initialize"')) await work
    while (running.size >= MOST) await Promise.race(running)
  }
  await Promise.all(running)
}

const write = (answer: object): Promise<void> => print(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)

function read(line: string): Message | undefined {
  if (line.length > LINE_LIMIT) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined
  } catch {
    return undefined
  }
}

/** What the protocol repeats in headers over HTTP. */
function headersOf({ method, params }: Message, settled: string | undefined): Record<string, string> {
  const own = params?._meta?.[VERSION]
  const version = typeof own === 'string' ? own : method === 'initialize' ? undefined : settled
  const name = method === 'tools/call' ? params?.name : method === 'resources/read' ? params?.uri : undefined
  return {
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(typeof own === 'string' && method !== undefined ? { 'mcp-method': method } : {}),
    ...(typeof own === 'string' && typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** A text as the protocol has it in headers: what is not plain ASCII is encoded. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The messages in an answer, which is one, or a stream of them. */
function answersIn({ headers }: Response, text: string): object[] {
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return text === '' ? [] : [JSON.parse(text)]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .flatMap((data) => (data === '' ? [] : [JSON.parse(data)]))
}
