// Servers of the SDK that requests share: making one for each takes four times as long as all that it does then.
import type { Headers } from './headers.ts'
import {
  classifyInboundRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageClassification,
  PerRequestHTTPServerTransport,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from './sdk.ts'

/** The revision that has shared servers besides those before it. */
const REVISION = '2026-07-28'
/** Of these, the SDK's server keeps nothing: they are answered from the request and its caller alone. */
const METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

interface Plain {
  request: JSONRPCRequest
  classification: MessageClassification
}
const LEGACY: MessageClassification = { era: 'legacy' }

/**
 * A message that is as clients send nearly all of theirs: one request, whose headers say just what it says. Undefined for
 * any other, about which the SDK's handler decides; so nothing is accepted here that is refused there.
 */
function readPlain(headers: Headers, body: unknown): Plain | undefined {
  const version = headers['mcp-protocol-version']
  const method = headers['mcp-method']
  const name = headers['mcp-name']
  if (version === undefined || !isJsonContentType(headers['content-type'])) return undefined
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: version,
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body,
  })
  if (route.kind === 'modern' && route.messageKind === 'request') {
    const { message: request, classification } = route
    const isPlain = classification.revision === REVISION && version === REVISION && method === request.method
    return isPlain && METHODS.has(method) && name === nameOf(request) ? { request, classification } : undefined
  }
  // Its reason says that it is one request, and no handshake.
  if (route.kind !== 'legacy' || route.reason !== 'no-claim') return undefined
  const request = body as JSONRPCRequest
  const isPlain = SUPPORTED_PROTOCOL_VERSIONS.includes(version) && METHODS.has(request.method)
  return isPlain && takesBoth(headers.accept) ? { request, classification: LEGACY } : undefined
}

const takesBoth = (accept = '') => accept.includes('application/json') && accept.includes('text/event-stream')

/** What a request is about, which its headers repeat. */
function nameOf({ method, params }: JSONRPCRequest): unknown {
  if (method === 'tools/call') return params?.name
  return method === 'resources/read' ? params?.uri : undefined
}

type Extra = Parameters<NonNullable<PerRequestHTTPServerTransport['onmessage']>>[1]
type Caller = NonNullable<NonNullable<Extra>['authInfo']>

/**
 * A connection over which requests of many callers come. Callers choose their ids themselves, so each request has another
 * one here. It is the SDK's class for a single exchange because a server takes its revision from that.
 */
class SharedConnection extends PerRequestHTTPServerTransport {
  readonly #waiting = new Map<number, (answer: JSONRPCMessage) => void>()
  readonly #classification: MessageClassification
  #last = 0
  constructor(classification: MessageClassification) {
    super({ classification })
    this.#classification = classification
  }

  /** Has a request answered, as who asks. */
  ask(request: JSONRPCRequest, authInfo: Caller): Promise<JSONRPCMessage> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, (answer) => resolve({ ...answer, id: request.id } as JSONRPCMessage))
      this.onmessage?.({ ...request, id }, { classification: this.#classification, authInfo })
    })
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    // Of what servers can send, ours send answers only.
    if (!('id' in message) || typeof message.id !== 'number') return
    const answered = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    answered?.(message)
  }
}

async function connect(classification: MessageClassification, makeServer: (versions: string[]) => Server) {
  const { revision } = classification
  const connection = new SharedConnection(classification)
  const versions = revision === undefined ? SUPPORTED_PROTOCOL_VERSIONS : [revision, ...SUPPORTED_PROTOCOL_VERSIONS]
  await makeServer(versions).connect(connection)
  return connection
}

/** Shared servers, as a function that answers a plain request; undefined for what needs a server of its own. */
export async function shareServers(makeServer: (versions: string[]) => Server) {
  const latest = await connect({ era: 'modern', revision: REVISION }, makeServer)
  const before = await connect(LEGACY, makeServer)
  return (headers: Headers, body: unknown, caller: Caller): Promise<JSONRPCMessage> | undefined => {
    const plain = readPlain(headers, body)
    return plain && (plain.classification === LEGACY ? before : latest).ask(plain.request, caller)
  }
}
