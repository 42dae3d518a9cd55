import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { checkNames, DEFAULT_STORAGE, type StorageCheck, type StorageTest } from '../../../contract/storages.ts'
import type { Ctx } from '../../context.ts'
import { explain } from '../../drivers/explain.ts'
import { ownerOfFolder } from '../../drivers/fs/mark.ts'
import { openWhere, type Where, whereOf, whereOfDefault } from '../../drivers/routing/open.ts'
import { findStorage } from '../../drivers/routing/store.ts'
import { asPrefix, type PlaceFields, placeOf, storageMissing } from './place.ts'

/** Milliseconds that a storage has to answer. */
const DEADLINE_MS = 10_000

/** Resolves if a storage can be read, without writing anything there. */
export async function reach(where: Where): Promise<void> {
  if (where.kind === 'file') return fs.promises.access(thereOf(where.folder), fs.constants.R_OK | fs.constants.X_OK)
  const { reachS3 } = await import('../../drivers/s3/reach.ts')
  await reachS3(where.s3, DEADLINE_MS)
}

/** A folder, or while it is not there, the one in which it would be made. */
const thereOf = (folder: string): string =>
  fs.existsSync(folder) || path.dirname(folder) === folder ? folder : thereOf(path.dirname(folder))

/** What the mark in a storage says; null without one. */
export async function ownerAt(where: Where): Promise<string | null> {
  if (where.kind === 'file') return ownerOfFolder(where.folder)
  const driver = await openWhere(where, { existing: true })
  try {
    return await driver.owner()
  } finally {
    await driver.close()
  }
}

async function findWhere(ctx: Ctx, name: string): Promise<Where & { disabled: boolean }> {
  if (name === DEFAULT_STORAGE) return { ...whereOfDefault(ctx.config), disabled: false }
  const row = await findStorage(ctx.db, name)
  if (!row) throw storageMissing(name)
  return { ...whereOf(ctx.config, row), disabled: row.disabled_at !== null }
}

interface Asked {
  /** What for. */
  mode?: 'owned' | 'read_only' | undefined
  prefix?: string | undefined
}

/** Tries all that is needed of a storage. */
export const testStorage = async (ctx: Ctx, name: string, asked: Asked): Promise<StorageTest> =>
  test(ctx, await findWhere(ctx, name), asked)

/** The same before it is registered. */
export const testPlace = (ctx: Ctx, { mode, ...given }: PlaceFields & Pick<Asked, 'mode'>): Promise<StorageTest> =>
  test(ctx, whereOf(ctx.config, placeOf(ctx.config, '', given)), { mode })

async function test(ctx: Ctx, where: Where, { mode = 'owned', prefix }: Asked): Promise<StorageTest> {
  const { checks, preview } =
    where.kind === 'file'
      ? { checks: await testFolder(where), preview: [] }
      : await testS3(ctx, where.s3, { mode, prefix })
  return {
    ok: checks.every(({ status }) => status !== 'failed'),
    checks,
    preview: preview.map(({ modified_at, ...object }) => ({
      ...object,
      last_modified: modified_at?.toISOString() ?? null,
    })),
  }
}

async function testS3(
  { now }: Ctx,
  s3: Extract<Where, { kind: 's3' }>['s3'],
  { mode, prefix = s3.prefix }: Asked & { mode: 'owned' | 'read_only' },
) {
  const { probeS3 } = await import('../../drivers/s3/probe.ts')
  return probeS3(s3, { mode, prefix: asPrefix(prefix), now })
}

/** A folder only has to take files, or to be one that can be made. */
async function testFolder(where: Extract<Where, { kind: 'file' }>): Promise<StorageCheck[]> {
  const outcomes: Partial<Record<StorageCheck['name'], Omit<StorageCheck, 'name'>>> = {}
  const there = thereOf(where.folder)
  try {
    await reach(where)
    outcomes.reach = { status: 'passed', detail: `The folder ${there} can be read.` }
    const probe = path.join(there, `probe-${randomUUID()}`)
    await fs.promises.writeFile(probe, 'strongroom', { flag: 'wx', mode: 0o600 })
    await fs.promises.rm(probe)
    outcomes.write = { status: 'passed', detail: 'Files can be written there and deleted.' }
  } catch (error) {
    outcomes[outcomes.reach ? 'write' : 'reach'] = { status: 'failed', detail: explain(error) }
  }
  const skipped = { status: 'skipped' as const, detail: 'Does not apply to files.' }
  return checkNames.map((name) => ({ name, ...(outcomes[name] ?? skipped) }))
}
