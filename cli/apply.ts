import { type Call, ProblemError, type Reply } from '../client/index.ts'
import { type FileFault, type Files, readFiles } from './configuration-file.ts'
import { printable } from './places.ts'
import { agrees, print, type Run } from './run.ts'

type Body = Call<'apply'>['body']
type Applied = Reply<'apply'>
type Change = Applied['changes'][number]

/** The exit code of a dry run that found differences. */
const DRIFT = 2
const MARKS = { create: '+', update: '~', delete: '-' } as const
const KINDS: { [kind: string]: string } = {
  storages: 'storage',
  identity_policies: 'identity policy',
  groups: 'group',
  users: 'user',
  roles: 'role',
  buckets: 'bucket',
  access_keys: 'access key',
  webhooks: 'webhook',
  policies: 'policy',
  settings: 'settings',
}

interface ApplyOptions {
  dryRun: boolean
  prune: boolean
  yes: boolean
}

/** Makes a service have what files name. Returns the exit code; throws if anything in the files is wrong. */
export const apply = async (run: Run, names: readonly string[], options: ApplyOptions): Promise<number> =>
  applyFiles(run, await readFiles(names), options)

/** Makes a service have what a configuration names, and says where it is wrong. Returns the exit code. */
export async function applyFiles(run: Run, files: Files, { dryRun, prune, yes }: ApplyOptions): Promise<number> {
  const plan = await ask(run, files, { dry_run: true, prune })
  const isNothing = plan.changes.length === 0
  if (run.json && (dryRun || isNothing)) await print(`${JSON.stringify(plan)}\n`)
  else if (!run.json) await print(textOf(plan))
  if (isNothing) return 0
  if (dryRun) return DRIFT
  if (!(await agrees('Make these changes?', yes))) throw new Error('Nothing was changed.')
  const made = await ask(run, files, { dry_run: false, prune })
  if (run.json) await print(`${JSON.stringify(made)}\n`)
  const failed = made.changes.filter(({ result }) => result === 'failed')
  for (const { kind, name, problem } of failed)
    run.progress.fail(`${KINDS[kind]} ${name}`, new Error(`${problem?.detail} (${problem?.code})`))
  const done = made.changes.filter(({ result }) => result === 'done').length
  const left = made.changes.length - done - failed.length
  if (!run.json) await print(`${invitationsOf(made)}${done} made${left > 0 ? `, ${left} not reached` : ''}.\n`)
  return failed.length > 0 ? 1 : 0
}

/** The links of new users, which are shown only now. */
const invitationsOf = ({ changes }: Applied): string =>
  changes
    .flatMap(({ name, invitation }) =>
      invitation
        ? [
            `Invitation of ${printable(name)}, shown only now and valid until ${invitation.expires_at}:\n${invitation.url}\n`,
          ]
        : [],
    )
    .join('')

/** Sends what the files name; throws with all faults of the files, those that the service finds included. */
async function ask({ client, progress }: Run, files: Files, options: Omit<Body, 'configuration'>): Promise<Applied> {
  const { configuration, faults } = files
  const found = await client
    .apply({
      body: {
        configuration: configuration as Body['configuration'],
        ...options,
        dry_run: options.dry_run || faults.length > 0,
      },
    })
    .catch((error: unknown) => {
      const { errors = [] } = error instanceof ProblemError ? error.problem : {}
      if (errors.length === 0) throw error
      return errors.map(({ path, message }) => faultAt(files, path, message))
    })
  // What is left out because of its own fault is missed, which says nothing more.
  const others = Array.isArray(found) ? found.filter(({ path }) => !faults.some((one) => one.path === path)) : []
  const all = [...faults, ...others].sort((a, b) => byLine.compare(a.place, b.place))
  if (all.length === 0 && !Array.isArray(found)) return found
  for (const { place, path, message } of all) progress.note(`${place}: ${path === '' ? '' : `${path} `}${message}`)
  throw new Error(
    `${all.length === 1 ? 'One fault' : `${all.length} faults`} in the configuration. Nothing was changed.`,
  )
}

/** By file, and in it by line. */
const byLine = new Intl.Collator('en', { numeric: true })

function faultAt(files: Files, path: string, message: string): FileFault {
  const inner = path.replace(/^body(\.configuration)?\.?/, '')
  return { place: files.placeOf(inner), path: inner, message }
}

/** What would change, as people read it. */
function textOf({ changes, kept, unchanged }: Applied): string {
  const counts = (['create', 'update', 'delete'] as const)
    .map((action) => [action, changes.filter((change) => change.action === action).length] as const)
    .filter(([, count]) => count > 0)
    .map(([action, count]) => `${count} to ${action}`)
  const stays = kept.map(
    ({ kind, name, reason }) => `= ${KINDS[kind]} ${printable(name)} stays: ${printable(reason)}\n`,
  )
  const summary = changes.length === 0 ? 'Nothing to do' : counts.join(', ')
  const rest = unchanged > 0 ? `; ${unchanged} already as named` : ''
  return `${changes.map(changeText).join('')}${stays.join('')}${summary}${rest}.\n`
}

function changeText({ kind, name, action, fields, effects }: Change): string {
  const lines = fields.map(({ field, before, after, secret }) => {
    const value = secret ? '(secret)' : action === 'create' ? short(after) : `${short(before)} -> ${short(after)}`
    return `    ${field}: ${value}\n`
  })
  const notes = effects.map((effect) => `    ${printable(effect)}\n`)
  return `${MARKS[action]} ${KINDS[kind]} ${printable(name)}\n${lines.join('')}${notes.join('')}`
}

const MOST_SHOWN = 200
/** A value in one line. */
function short(value: unknown): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
