import { once } from 'node:events'
import net from 'node:net'

/** A request whose header section is ready to be sent, and its body if it has one. */
export interface Request {
  head: Buffer
  body?: Buffer | undefined
  /** Whether the answer has a body: none to HEAD. */
  isHead: boolean
}
export interface Answer {
  status: number
  /** The header section, with its status line. */
  head: string
  /** Bytes of the body. */
  length: number
  /** The body, where it was asked for, or the answer is an error. */
  body: string
}

/** Answers are read into a buffer of this size, which is used again for the next bytes. */
const BUFFER = 256 * 1024

const HEAD_END = '\r\n\r\n'
const LINE_END = '\r\n'

type State = 'head' | 'length' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer'

/**
 * One connection of HTTP/1.1 that is kept alive, with one request at a time: what a client does at the least, so that it
 * leaves the processor to the server. `send` rejects when the connection is closed before the answer ends.
 */
export class Connection {
  readonly #socket: net.Socket
  #state: State = 'head'
  /** A part of the header section or of a line, from earlier bytes. */
  #rest = ''
  /** Bytes that the body or the chunk still has. */
  #left = 0
  #keeps = false
  #kept: Buffer[] = []
  #isHead = false
  #answer: Answer = { status: 0, head: '', length: 0, body: '' }
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined

  private constructor(host: string, port: number) {
    const buffer = Buffer.allocUnsafe(BUFFER)
    const callback = (count: number): boolean => {
      this.#read(buffer.subarray(0, count))
      return true
    }
    this.#socket = net.connect({ host, port, noDelay: true, onread: { buffer, callback } })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection')))
  }

  static async open(host: string, port: number): Promise<Connection> {
    const connection = new Connection(host, port)
    await once(connection.#socket, 'connect')
    return connection
  }

  /** Sends a request. `keeps` has the answer's body kept; otherwise it is only counted. */
  send({ head, body, isHead }: Request, keeps = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('The server closed the connection'))
      this.#waiting = { resolve, reject }
      this.#keeps = keeps
      this.#isHead = isHead
      this.#socket.cork()
      this.#socket.write(head)
      if (body) this.#socket.write(body)
      this.#socket.uncork()
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'length' || this.#state === 'chunk') {
        const end = Math.min(bytes.length, at + this.#left)
        this.#count(bytes.subarray(at, end))
        this.#left -= end - at
        at = end
        if (this.#left > 0) return
        if (this.#state === 'length') this.#end()
        else this.#state = 'chunk end'
        continue
      }
      const until = this.#state === 'head' ? HEAD_END : LINE_END
      // Almost always all of it is here; then the body behind it is not looked at.
      const text = this.#rest === '' ? '' : this.#rest + bytes.toString('latin1', at)
      const found = text === '' ? bytes.indexOf(until, at) : text.indexOf(until)
      if (found < 0) {
        this.#rest = text || bytes.toString('latin1', at)
        return
      }
      const line = text === '' ? bytes.toString('latin1', at, found) : text.slice(0, found)
      at += line.length + until.length - this.#rest.length
      this.#rest = ''
      this.#line(line)
    }
  }

  /** The header section, or a line between the chunks of a body. */
  #line(text: string): void {
    if (this.#state === 'head') {
      const status = Number(text.slice(9, 12))
      this.#answer = { status, head: text, length: 0, body: '' }
      this.#keeps ||= status >= 300
      if (/\r\ntransfer-encoding: *chunked/i.test(text)) this.#state = 'chunk size'
      else {
        this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
        this.#state = 'length'
      }
      const hasBody = !this.#isHead && status !== 204 && status !== 304
      if (!hasBody || (this.#state === 'length' && this.#left === 0)) this.#end()
    } else if (this.#state === 'chunk size') {
      this.#left = Number.parseInt(text, 16)
      this.#state = this.#left === 0 ? 'trailer' : 'chunk'
    } else if (this.#state === 'chunk end') this.#state = 'chunk size'
    else if (text === '') this.#end()
  }

  #count(bytes: Buffer): void {
    this.#answer.length += bytes.length
    if (this.#keeps) this.#kept.push(Buffer.from(bytes))
  }

  #end(): void {
    if (this.#keeps) this.#answer.body = Buffer.concat(this.#kept).toString()
    this.#kept = []
    this.#state = 'head'
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(this.#answer)
  }
}
