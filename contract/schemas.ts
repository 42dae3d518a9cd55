import type { TSchema } from 'typebox'
import * as bucketRules from './bucket-rules.ts'
import * as configuration from './configuration.ts'
import { files } from './index.ts'
import * as passkeys from './passkeys.ts'
import * as shapes from './shapes.ts'

/** Names of the shapes that the contract exports, by their JSON: an equal schema gets that name wherever it is used. */
export const schemaNames: ReadonlyMap<string, string> = new Map(
  [shapes, passkeys, bucketRules, configuration, ...Object.values(files)].flatMap((file) =>
    Object.entries<unknown>(file)
      .filter((entry): entry is [string, TSchema] => /^[A-Z]/.test(entry[0]) && typeof entry[1] === 'object')
      .map(([name, schema]) => [JSON.stringify(schema), name] as const),
  ),
)
