import type { Client } from '../client/index.ts'
import { UsageError } from './config.ts'
import { prefixedPlace, show } from './places.ts'
import { type PlannedRun, replacedLine, runPlanned, stayLines, sumLine } from './planned-job.ts'
import type { Run } from './run.ts'

type Body = Parameters<Client['createJob']>[0]['body']
type Side = NonNullable<Body['on_conflict']>
const sides = ['fork', 'origin', 'both'] as const satisfies readonly Side[]

interface Wanted extends PlannedRun {
  /** Instead of a folder in the path. */
  prefix: string | undefined
  onConflict: string | undefined
  take: readonly string[]
}

/** `merge`: says what of a fork would be taken into its origin, asks, has it taken, and follows that to its end. */
export async function merge(run: Run, target: string, wanted: Wanted): Promise<void> {
  const { bucket, prefix } = prefixedPlace(target)
  if (prefix !== '' && wanted.prefix !== undefined) throw new UsageError('Give the folder in the path or as --prefix.')
  const body: Body = {
    kind: 'merge',
    source_bucket: bucket,
    prefix: wanted.prefix ?? prefix,
    ...(wanted.onConflict === undefined ? {} : { on_conflict: sideOf('--on-conflict', wanted.onConflict) }),
    ...(wanted.take.length > 0 ? { decisions: wanted.take.map(decisionOf) } : {}),
  }
  await runPlanned(
    run,
    {
      bucket,
      body,
      lines({ merge_plan: plan }) {
        if (!plan) return []
        return [
          sumLine('are added', plan.added),
          replacedLine('change', plan.replaced),
          sumLine('are deleted', plan.deleted),
          ...(plan.beside.objects > 0 ? [sumLine('come under another name', plan.beside)] : []),
          ...stayLines([
            [plan.kept, 'stay, as decided'],
            [plan.conflicts, 'stay, since both have changed them'],
            [plan.refused, 'stay, since they are locked or you may not change them'],
          ]),
        ]
      },
      sums({ merge_plan: plan }) {
        const changes = plan
          ? plan.added.objects + plan.replaced.objects + plan.deleted.objects + plan.beside.objects + plan.kept
          : 0
        return { changes, growth_bytes: plan?.growth_bytes ?? 0, room_bytes: plan?.room_bytes ?? null }
      },
      question: ({ dest_bucket }) => `Merge ${show(bucket, body.prefix ?? '')} into ${dest_bucket}?`,
      asPlanned: () => body,
    },
    wanted,
  )
}

function sideOf(option: string, text: string): Side {
  const side = sides.find((one) => one === text)
  if (side === undefined) throw new UsageError(`${option} must be ${sides.join(', ').replace(/, (\w+)$/, ' or $1')}.`)
  return side
}

/** `both:2026/cat.jpg` */
function decisionOf(text: string): { take: Side; key: string } {
  const [take = '', key = ''] = text.split(/:(.*)/s)
  if (key === '') throw new UsageError('--take must be fork:KEY, origin:KEY or both:KEY.')
  return { take: sideOf('--take', take), key }
}
