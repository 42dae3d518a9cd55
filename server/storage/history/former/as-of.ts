// Reads a bucket's objects as they were at a moment: with the same statements that read them as they are.
import {
  AliasNode,
  type FromNode,
  IdentifierNode,
  type JoinNode,
  type Kysely,
  type OperationNode,
  OperationNodeTransformer,
  ParensNode,
  type QueryId,
  RawNode,
  TableNode,
  ValueNode,
} from 'kysely'
import type { RewritingPlugin } from '../../../db/prepare.ts'
import type { Db, Schema } from '../../../db/schema.ts'
import { shared } from '../store.ts'

/** A bucket at a moment. */
export interface Past {
  bucketId: string
  /** Microseconds since 1970. */
  moment: number
}

/** Every column of an object but those of its moment. */
const LIST = ['blob_id', ...shared].join(', ')

const isObjects = (node: OperationNode): boolean =>
  TableNode.is(node) && node.table.identifier.name === 'objects' && node.table.schema === undefined

class AsOf extends OperationNodeTransformer {
  readonly #past: Past
  constructor(past: Past) {
    super()
    this.#past = past
  }

  /**
   * The bucket's objects at the moment. At most one state of a key was begun by then and not ended: both halves are read
   * in the order of keys by an index, as far as the query asks for them.
   */
  #objects(): OperationNode {
    const { bucketId, moment } = this.#past
    const [id, at] = [ValueNode.create(bucketId), ValueNode.create(moment)]
    const fragments = [
      `select ${LIST} from objects where bucket_id = `,
      // The sign keeps an index by moment out: it would lead to all of the bucket.
      ' and +moment <= ',
      ` union all select ${LIST} from former_objects where bucket_id = `,
      ' and moment <= ',
      ' and ended > ',
      '',
    ]
    return ParensNode.create(RawNode.create(fragments, [id, at, id, at, at]))
  }

  #replaced(node: OperationNode, queryId?: QueryId): OperationNode {
    if (isObjects(node)) return AliasNode.create(this.#objects(), IdentifierNode.create('objects'))
    if (AliasNode.is(node) && isObjects(node.node)) return AliasNode.create(this.#objects(), node.alias)
    return this.transformNode(node, queryId)
  }

  protected override transformFrom(node: FromNode, queryId?: QueryId): FromNode {
    return { ...node, froms: node.froms.map((from) => this.#replaced(from, queryId)) }
  }
  protected override transformJoin(node: JoinNode, queryId?: QueryId): JoinNode {
    const table = this.#replaced(node.table, queryId)
    return node.on ? { ...node, table, on: this.transformNode(node.on, queryId) } : { ...node, table }
  }
  /** Where SQL is written out, `${sql.table('objects')}` stands for them, followed by an alias. */
  protected override transformRaw(node: RawNode, queryId?: QueryId): RawNode {
    const parameters = node.parameters.map((one) =>
      isObjects(one) ? this.#objects() : this.transformNode(one, queryId),
    )
    return { ...node, parameters }
  }
}

/** A handle whose reads of objects find those of a bucket at a moment, and no others. */
export function asOf(db: Db, past: Past): Db {
  const transformer = new AsOf(past)
  const plugin: RewritingPlugin = {
    rewrites: true,
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
  return (db as Kysely<Schema>).withPlugin(plugin)
}
