// Parquet (https://parquet.apache.org/docs/file-format/), encoded and compressed on a thread: of a row it takes longer than to
// read it from the database.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Cell, Cells, ColumnKind, TableColumn, TablePage, TableWriter } from './table.ts'

/** Rows of a row group, and about how many bytes of texts: what is in memory until it is encoded. */
const GROUP_ROWS = 20_000
const GROUP_BYTES = 12 * 1024 * 1024
/** Pages that may be on their way to the thread. */
const MOST_PAGES = 2
/** In MB; more is an error, and not the end of the process. */
const MOST_HEAP = 512
const YOUNG = 8

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const ROLE = 'parquet'
interface Role {
  role: typeof ROLE
  columns: readonly TableColumn[]
}
type Order = TablePage | 'end'
type Reply = { bytes: Uint8Array } | { error: string }

/** How a kind is written: its physical and logical type. */
const TYPES: { readonly [kind in ColumnKind]: Omit<SchemaElement, 'name'> } = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  flag: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  moment: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
}

const schemaOf = (columns: readonly TableColumn[]): SchemaElement[] => [
  { name: 'inventory', num_children: columns.length },
  ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[kind] })),
]

/** How the manifest of an inventory describes the columns. */
export const parquetSchema = (columns: readonly TableColumn[]): string => {
  const said: { readonly [kind in ColumnKind]: (name: string) => string } = {
    text: (name) => `binary ${name} (UTF8)`,
    flag: (name) => `boolean ${name}`,
    integer: (name) => `int64 ${name}`,
    time: (name) => `int64 ${name} (TIMESTAMP_MILLIS)`,
    moment: (name) => `int64 ${name} (TIMESTAMP_MICROS)`,
  }
  return `message inventory { ${columns.map(({ name, kind }) => `optional ${said[kind](name)};`).join(' ')} }`
}

/** Writes rows as Parquet. Each file has a thread of its own, which ends with it. */
export function parquetWriter(columns: readonly TableColumn[]): TableWriter {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { role: ROLE, columns } satisfies Role,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP, maxYoungGenerationSizeMb: YOUNG },
  })
  // A process need not wait for a table that nobody finishes.
  worker.unref()
  const waiting: PromiseWithResolvers<Uint8Array>[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }
  worker.on('message', (reply: Reply) => {
    if ('error' in reply) fail(new Error(`A table could not be written: ${reply.error}`))
    else waiting.shift()?.resolve(reply.bytes)
  })
  worker.on('error', (error) => fail(error as Error))
  worker.on('exit', () => fail(new Error('The thread that writes a table has ended.')))
  const send = (order: Order): Promise<Uint8Array> => {
    if (failure) return Promise.reject(failure)
    const answer = Promise.withResolvers<Uint8Array>()
    waiting.push(answer)
    worker.postMessage(order)
    return answer.promise
  }
  const onTheirWay: Promise<Uint8Array>[] = []
  const drop = () => void worker.terminate()
  return {
    async add(page) {
      const sent = send(page)
      // Where an earlier page fails first, nobody waits for this one.
      sent.catch(() => undefined)
      onTheirWay.push(sent)
      return onTheirWay.length < MOST_PAGES ? new Uint8Array() : (onTheirWay.shift() as Promise<Uint8Array>)
    },
    async end() {
      const last = send('end')
      last.catch(() => undefined)
      const rest = await Promise.all([...onTheirWay.splice(0), last])
      drop()
      return Buffer.concat(rest)
    },
    drop,
  }
}

/** The thread's side: gathers pages, and encodes them when they are a row group. */
class GroupWriter {
  readonly #columns: readonly TableColumn[]
  readonly #bytes = new ByteWriter()
  readonly #file: ParquetWriter
  readonly #pages: TablePage[] = []
  #rows = 0
  #size = 0

  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      codec: 'ZSTD',
      compressors: {
        ZSTD: (input) => zstdCompressSync(input, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
      },
      createdBy: 'Strongroom',
    })
  }

  add(page: TablePage): Uint8Array {
    this.#pages.push(page)
    this.#rows += page.rows
    this.#size += sizeOf(page)
    if (this.#rows >= GROUP_ROWS || this.#size >= GROUP_BYTES) this.#encode()
    return this.#take()
  }

  end(): Uint8Array {
    if (this.#rows > 0) this.#encode()
    this.#file.finish()
    return this.#take()
  }

  #encode(): void {
    const columnData = this.#columns.map(({ name, kind, distinct }, i) => ({
      name,
      data: this.#pages.flatMap((page) => valuesOf(page.columns[i] ?? null, page.rows, kind)),
      ...(distinct && { encoding: 'PLAIN' as const }),
    }))
    this.#file.write({ columnData, rowGroupSize: this.#rows })
    this.#pages.length = 0
    this.#rows = 0
    this.#size = 0
  }

  #take(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.buffer.slice(0, this.#bytes.index))
    this.#bytes.index = 0
    return bytes
  }
}

/** About how many bytes a page's texts take. */
function sizeOf({ columns }: TablePage): number {
  let size = 0
  for (const cells of columns)
    if (typeof cells === 'object' && cells !== null)
      for (const cell of cells) size += typeof cell === 'string' ? cell.length : 8
  return size
}

const valuesOf = (cells: Cells, rows: number, kind: ColumnKind): unknown[] =>
  typeof cells === 'object' && cells !== null
    ? kind === 'text' || kind === 'flag'
      ? [...cells]
      : cells.map((cell) => physical(cell, kind))
    : new Array(rows).fill(physical(cells, kind))

function physical(cell: Cell, kind: ColumnKind): unknown {
  if (cell === null || kind === 'text' || kind === 'flag') return cell
  return BigInt(kind === 'time' ? Date.parse(String(cell)) : Number(cell))
}

function serve(port: NonNullable<typeof parentPort>, { columns }: Role): void {
  const group = new GroupWriter(columns)
  const reply = (answer: Reply) =>
    port.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : [])
  port.on('message', (order: Order) => {
    try {
      reply({ bytes: order === 'end' ? group.end() : group.add(order) })
    } catch (error) {
      reply({ error: (error as Error).message })
    }
  })
}
const given = workerData as Partial<Role> | null
if (!isMainThread && parentPort && given?.role === ROLE) serve(parentPort, given as Role)
