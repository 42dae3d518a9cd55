import type { Commands } from './command.ts'
import { UsageError } from './config.ts'

/** The commands for the whole configuration of a service. They load their parser of YAML when they run. */
export const configurationCommands: Commands = {
  apply: {
    usage: 'apply [--dry-run] [--prune] [--yes] [--json] <file>...',
    about: `Makes a service have what configuration files name: storages, groups, users, roles and their policies, buckets, access
keys, webhooks, cleanup policies and settings. For administrators. Prints what would change and what follows from it, asks, and makes the changes
one after another. What is there already stays; applying the same files twice changes nothing the second time.

Files are YAML or JSON; - is standard input. Several are taken together. A secret is never in a file, which says where it
is: {env: VARIABLE} or {file: PATH}, the latter from the folder of the file.

  -n, --dry-run  only print what would change. Exit code 2: something would
      --prune    delete what the files do not name, of the kinds that they list
  -y, --yes      do not ask; without a terminal, nothing is asked
      --json     print the changes as JSON

Exit code 1: something in the files is wrong, and nothing was changed; or a change failed, and those after it were not made.
The same command again makes the others.`,
    options: {
      'dry-run': { type: 'boolean', short: 'n' },
      prune: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      json: { type: 'boolean' },
    },
    words: [1, 100],
    async work({ words, flag }, open) {
      const { apply } = await import('./apply.ts')
      return apply(open(), words, { dryRun: flag('dry-run'), prune: flag('prune'), yes: flag('yes') })
    },
  },
  export: {
    usage: 'export [--json]',
    about: `Prints a configuration file that names all that a service has, for "strongroom apply". For administrators. Secrets and
passwords are not in it, nor is what is so by default.

      --json  print JSON instead of YAML`,
    options: { json: { type: 'boolean' } },
    words: [0, 0],
    async work(_given, open) {
      const { exportConfiguration } = await import('./export.ts')
      return exportConfiguration(open())
    },
  },
  import: {
    usage:
      'import minio [--email-domain d] [--only bucket] [--except-bucket bucket] [--rename name=other] [--dry-run] [--output file] [--yes] <folder or zip>...',
    about: `Translates what MinIO exports into a configuration, prints what becomes of each item, and applies it. For administrators.
The exports are those of "mc admin cluster iam export" and "mc admin cluster bucket export": one or both of the zips, or
folders of them. Policies come over whole, or not at all: nobody can do more than in MinIO. Objects are not copied.

      --email-domain d   users get the address name@d, unless their name is an address
      --only b           of the buckets, import only this one; can be given several times
      --except-bucket b  leave a bucket out, such as one that is attached; can be given several times
      --rename a=b       the user a becomes b@d, or b if that is an address; can be given several times
      --label name       start of the names of groups and policies (default: MinIO); say another for a second MinIO
      --root-user name   MINIO_ROOT_USER, to import its access keys too
      --administrators   make administrators of users who may do everything
      --public-access    bring over what buckets allow anyone, and turn on public access in the settings
  -n, --dry-run          only print what would change. Exit code 2: something would
  -o, --output file      only write the configuration, and the secrets to files next to it, for "strongroom apply"
  -y, --yes              do not ask; without a terminal, nothing is asked
      --json             print the items and the changes as JSON`,
    options: {
      'email-domain': { type: 'string' },
      only: { type: 'string', multiple: true },
      'except-bucket': { type: 'string', multiple: true },
      rename: { type: 'string', multiple: true },
      label: { type: 'string' },
      'root-user': { type: 'string' },
      administrators: { type: 'boolean' },
      'public-access': { type: 'boolean' },
      'dry-run': { type: 'boolean', short: 'n' },
      output: { type: 'string', short: 'o' },
      yes: { type: 'boolean', short: 'y' },
      json: { type: 'boolean' },
    },
    words: [2, 20],
    async work({ words: [what = '', ...names], flag, value, values }, open) {
      if (what !== 'minio') throw new UsageError(`"import ${what}" is unknown: only MinIO can be imported from.`)
      const { importMinio } = await import('./import-minio.ts')
      return importMinio(open, names, {
        emailDomain: value('email-domain'),
        rootUser: value('root-user'),
        output: value('output'),
        only: values('only'),
        exceptBuckets: values('except-bucket'),
        renames: values('rename'),
        label: value('label') ?? 'MinIO',
        administrators: flag('administrators'),
        publicAccess: flag('public-access'),
        dryRun: flag('dry-run'),
        yes: flag('yes'),
        json: flag('json'),
      })
    },
  },
}
