import type { Disk as DiskState } from '../../../contract/system.ts'
import { perSystem } from '../../base/per-system.ts'
import { type Disk, databaseOf, emptyLogOfErased, isShort, measureDisks } from '../../blobs/room.ts'
import type { Ctx } from '../../context.ts'

/** Milliseconds between two looks at the disks. */
const EVERY_MS = 5000
const MIB = 1024 * 1024
/** What the log of a SQLite database may take of the disk when little is left, and otherwise, in bytes. */
const LOG_WHEN_SHORT = MIB
const LOG_AT_REST = 32 * MIB
/** The part of what is kept at which the reserve is let go, before anything finds the disk full. */
const NOTHING_LEFT = 1 / 4

const shortBefore = perSystem(() => new Set<Disk['of']>())

/**
 * Keeps a full disk from being a dead end: measures the disks of the database and the default storage, makes the reserve
 * beside the database while there is room and lets it go when there is none, and gives back what the database's log takes.
 */
export const diskKeeper = {
  name: 'disk-keeper',
  every: EVERY_MS,
  local: true as const,
  async run(ctx: Ctx): Promise<void> {
    const database = databaseOf(ctx.config)
    const disks = await measureDisks(ctx.config)
    for (const disk of disks) tell(ctx, disk)
    await database?.shrinkLog(disks.some(isShort) ? LOG_WHEN_SHORT : LOG_AT_REST)
    await emptyLogOfErased(ctx.config, ctx.now())
    const disk = disks.find(({ of }) => of === 'database')
    if (disk && database?.reserve) await keepReserve(ctx, disk, database.reserve)
  },
}

/** The part of a disk below which what is free is announced, as in the alerts. */
const NEARLY = 0.1

/** The disks of the service's own files, and whether there is room on them. One that cannot be measured is left out. */
export async function listDisks({ config }: Ctx): Promise<{ items: DiskState[] }> {
  const measured = (await measureDisks(config)).filter(({ size }) => size > 0)
  return { items: measured.map(stateOf) }
}

const stateOf = (disk: Disk): DiskState => ({
  of: disk.of,
  state: isShort(disk) ? 'short' : disk.free < disk.size * NEARLY ? 'nearly_full' : 'room',
  free_bytes: disk.free,
  size_bytes: disk.size,
  kept_bytes: disk.kept,
})

type Reserve = NonNullable<NonNullable<ReturnType<typeof databaseOf>>['reserve']>

async function keepReserve({ log }: Ctx, disk: Disk, reserve: Reserve): Promise<void> {
  const held = reserve.held()
  // The setting has been turned off, or nothing is left.
  if (held > 0 && (disk.reserve === 0 || disk.free < disk.reserve * NOTHING_LEFT)) {
    reserve.release()
    if (disk.reserve > 0) log.error({ bytes: held }, 'the disk is full: the reserve next to the database was let go')
    return
  }
  // Made beside an earlier one of another size, and as much again has to stay free.
  if (held === disk.reserve || disk.free < disk.reserve * 2) return
  await reserve.keep(disk.reserve)
  log.info({ bytes: disk.reserve }, 'the reserve next to the database was made')
}

/** One line when the disk gets short of space, and one when it no longer is. */
function tell({ log, config }: Ctx, disk: Disk): void {
  const before = shortBefore(config)
  const { of, free, size, kept, folder } = disk
  const short = isShort(disk)
  if (short === before.has(of)) return
  const facts = { disk: of, folder, free_bytes: free, size_bytes: size, kept_bytes: kept }
  if (short) {
    before.add(of)
    log.error(facts, `the disk of the ${of} is almost full: uploads are refused until there is room`)
  } else {
    before.delete(of)
    log.warn(facts, `the disk of the ${of} has room again`)
  }
}
