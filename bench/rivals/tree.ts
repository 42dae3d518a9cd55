import fs from 'node:fs'

/** A process and all that descend from it, as long as their parents live (Linux). */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statOf(Number(name))?.[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [root]
  for (const pid of all) all.push(...(children.get(pid) ?? []))
  return all
}

/** Fields of /proc/<pid>/stat from the third, the state, on; undefined if the process has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** The kernel counts CPU time in these. */
const TICKS_PER_SECOND = 100
/** CPU time of processes with all that descend from them so far, in seconds; also of those that have ended meanwhile. */
export function cpuSecondsOf(roots: readonly number[]): number {
  let ticks = 0
  for (const pid of roots.flatMap(treeOf)) {
    // utime, stime, and both of the children that have ended.
    for (const field of statOf(pid)?.slice(11, 15) ?? []) ticks += Number(field)
  }
  return ticks / TICKS_PER_SECOND
}

/** Resident memory of processes with all that descend from them, in bytes: pages that several of them share count once. */
export function residentBytesOf(roots: readonly number[]): number {
  let kib = 0
  for (const pid of roots.flatMap(treeOf)) {
    try {
      kib += Number(/^Pss: +(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      // It has ended.
    }
  }
  return kib * 1024
}
