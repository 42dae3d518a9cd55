import { changes } from './changes.ts'
import type { Commands } from './command.ts'
import { UsageError } from './config.ts'
import { merge } from './merge.ts'
import { rollback } from './rollback.ts'

const required = (option: string, value: string | undefined): string => {
  if (value === undefined) throw new UsageError(`Give the moment: ${option} 2026-11-27T14:05:00Z`)
  return value
}

/** The commands for moments of a bucket. */
export const momentCommands: Commands = {
  changes: {
    usage: 'changes --from time [--to time] [--json] <bucket or sr:path>',
    about: `Lists what is not the same at two moments: added (+), changed (~) or deleted (-), with its size, the time of the last
change, how whoever made it had signed in, and their token, access key, link or user id.

      --from time  an RFC 3339 time, such as 2026-11-27T14:05:00Z: the last change at or before it
      --to time    the later moment (default: now)
      --json       one JSON object a line`,
    options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
    words: [1, 1],
    work: ({ words: [target = ''], value }, run) =>
      changes(run(), target, { from: required('--from', value('from')), to: value('to') }),
  },
  merge: {
    usage:
      'merge [--prefix p] [--on-conflict side] [--take side:key] [--dry-run] [--yes] [--no-wait] [--json] <fork or sr:path>',
    about: `Takes what a fork has changed into the bucket it was forked from. Says what that changes, asks, and follows the job.

What only the fork has changed is taken, deletions too. What both have changed is left alone and listed, unless a side is
given: fork (the fork's), origin (it stays), or both (the fork's is added under another name). No bytes are copied.
The job can be undone.

      --prefix p          only keys that start with this, as with a path
      --on-conflict side  fork, origin or both: for all that both have changed
      --take side:key     the same for one key; can be given several times
  -n, --dry-run           only say what would be done
  -y, --yes               do not ask
      --no-wait           print the job's id and do not wait
      --json              print the plan and the job as JSON`,
    options: {
      prefix: { type: 'string' },
      'on-conflict': { type: 'string' },
      take: { type: 'string', multiple: true },
      'dry-run': { type: 'boolean', short: 'n' },
      yes: { type: 'boolean', short: 'y' },
      'no-wait': { type: 'boolean' },
      json: { type: 'boolean' },
    },
    words: [1, 1],
    work: ({ words: [target = ''], flag, value, values }, run) =>
      merge(run(), target, {
        prefix: value('prefix'),
        onConflict: value('on-conflict'),
        take: values('take'),
        dryRun: flag('dry-run'),
        yes: flag('yes'),
        wait: !flag('no-wait'),
      }),
  },
  rollback: {
    usage:
      'rollback --to time [--prefix p] [--keep-new] [--by whom] [--dry-run] [--yes] [--no-wait] [--json] <bucket or sr:path>',
    about: `Makes a bucket, or a folder of it, what it was at a moment. Says what that changes, asks, and follows the job.

What was deleted or overwritten since comes back; what is new goes to the trash. Where versions are kept, each key gets
a new one. No bytes are copied. The job can be undone.

      --to time    an RFC 3339 time, such as 2026-11-27T14:05:00Z: the last change at or before it
      --prefix p   only keys that start with this, as with a path
      --keep-new   keep what was not there then
      --by whom    only what one alone has changed since: user:EMAIL, access-key:ID, token:ID, share:ID or agent:ID
  -n, --dry-run    only say what would be done
  -y, --yes        do not ask
      --no-wait    print the job's id and do not wait
      --json       print the plan and the job as JSON`,
    options: {
      to: { type: 'string' },
      prefix: { type: 'string' },
      'keep-new': { type: 'boolean' },
      by: { type: 'string' },
      'dry-run': { type: 'boolean', short: 'n' },
      yes: { type: 'boolean', short: 'y' },
      'no-wait': { type: 'boolean' },
      json: { type: 'boolean' },
    },
    words: [1, 1],
    work: ({ words: [target = ''], flag, value }, run) =>
      rollback(run(), target, {
        to: required('--to', value('to')),
        prefix: value('prefix'),
        keepNew: flag('keep-new'),
        by: value('by'),
        dryRun: flag('dry-run'),
        yes: flag('yes'),
        wait: !flag('no-wait'),
      }),
  },
}
