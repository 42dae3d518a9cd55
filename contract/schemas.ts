import type { TSchema } from 'typebox'
import { files } from './index.ts'
import * as shapes from './shapes.ts'

/**
 * The shapes that the contract exports by a name of their own, by the JSON they are: a schema with the same JSON is that
 * shape, wherever an operation has it.
 */
export const schemaNames: ReadonlyMap<string, string> = new Map(
  [shapes, ...Object.values(files)].flatMap((file) =>
    Object.entries<unknown>(file)
      .filter((entry): entry is [string, TSchema] => /^[A-Z]/.test(entry[0]) && typeof entry[1] === 'object')
      .map(([name, schema]) => [JSON.stringify(schema), name] as const),
  ),
)
