import Type from 'typebox'
import { Configuration, configurationKinds } from './configuration.ts'
import { route } from './route.ts'
import { Exactly } from './shapes.ts'
import { Invitation } from './users.ts'

const Kind = Type.Enum([...configurationKinds])
const Value = Type.Unsafe<unknown>({ description: 'Any JSON value.' })

/** A difference between a configuration and the service, and what became of it. */
export const ConfigurationChange = Type.Object({
  kind: Kind,
  name: Type.String({ description: 'What names it in the configuration; of settings, the section.' }),
  action: Type.Enum(['create', 'update', 'delete']),
  fields: Type.Array(
    Type.Object({
      field: Type.String(),
      before: Value,
      after: Value,
      secret: Type.Boolean({ description: 'Its values are not shown.' }),
    }),
    { description: 'The fields that differ, or that something new has.' },
  ),
  effects: Type.Array(Type.String(), { description: 'What follows from it, a sentence each.' }),
  result: Type.Enum(['planned', 'done', 'failed', 'not_reached']),
  invitation: Type.Optional(Invitation),
  problem: Type.Optional(
    Type.Object({ code: Type.String({ description: 'An error code of the API.' }), detail: Type.String() }),
  ),
})
export type ConfigurationChange = Type.Static<typeof ConfigurationChange>

export const operations = {
  apply: route({
    method: 'POST',
    url: '/apply',
    tag: 'configuration',
    summary: 'Make the service have what a configuration names',
    description:
      'Compares the fields that the configuration names with what is there, and makes the changes one after another, each in a transaction of its own. The first that fails ends it: `result` says what became of each. Applying the same configuration twice changes nothing the second time. If anything in it is wrong, all faults are named (422) and nothing is changed.',
    access: 'admin',
    status: 200,
    body: Exactly({
      configuration: Configuration,
      dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only say what would be changed.' })),
      prune: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Delete what the configuration does not name, of the kinds that it lists. Built-in groups, attached buckets, buckets that are not empty, storages that are in use and the caller stay.',
        }),
      ),
    }),
    validatedBy: 'handler',
    bodyLimit: 2 * 1024 * 1024,
    reply: Type.Object({
      changes: Type.Array(ConfigurationChange, { description: 'In the order in which they are made.' }),
      kept: Type.Array(Type.Object({ kind: Kind, name: Type.String(), reason: Type.String() }), {
        description: 'What `prune` would have deleted, and why it stays.',
      }),
      unchanged: Type.Integer({ description: 'How many entries of the configuration are as it says.' }),
    }),
    errors: ['invalid_request'],
    records: [
      'storage_create',
      'storage_update',
      'storage_delete',
      'identity_policy_create',
      'identity_policy_update',
      'identity_policy_delete',
      'identity_policy_attach',
      'identity_policy_detach',
      'group_create',
      'group_update',
      'group_delete',
      'user_create',
      'user_update',
      'user_delete',
      'invitation_create',
      'role_create',
      'role_update',
      'role_delete',
      'create_bucket',
      'update_bucket',
      'delete_bucket',
      'access_key_create',
      'access_key_update',
      'access_key_revoke',
      'webhook_create',
      'webhook_update',
      'webhook_delete',
      'policy_create',
      'policy_update',
      'policy_delete',
      'settings_update',
    ],
    rate: 'costly',
  }),

  exportConfiguration: route({
    method: 'GET',
    url: '/export',
    tag: 'configuration',
    summary: 'Get a configuration that names all that is there',
    description:
      'Without secrets and passwords, and without what has its default value. Applied to this service, it changes nothing.',
    access: 'admin',
    status: 200,
    reply: Type.Object({ configuration: Configuration }),
    rate: 'costly',
  }),
}
