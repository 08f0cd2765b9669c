import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A QEMU process of a machine. */
export interface GuestProcess {
  readonly pid: number
  /** The folder in which the process runs, which is the folder of its machine. */
  readonly folder: string
}

/** The interval between two looks at a process that is ending, in milliseconds. */
const lookMs = 20

/**
 * Returns the folder of a QEMU process. The process must have the id of a machine as its argument `-uuid`, and as the
 * name of its working folder. Returns undefined for any other process, for example for a later process that has got the
 * same number, and for a process of another user.
 */
export function folderOf(pid: number): string | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const id = words[words.indexOf('-uuid') + 1]
    // A zombie has no arguments.
    if (id === undefined || !words[0]?.includes('qemu-system')) return undefined
    // The kernel marks a folder that was deleted while the process runs.
    const folder = readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '')
    return folder.endsWith(`/${id}`) ? folder : undefined
  } catch {
    return undefined
  }
}

/** Returns the QEMU processes of all machines whose folders are in `parent`, a path without links. */
export function guestProcesses(parent: string): readonly GuestProcess[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.flatMap(name => {
    const pid = Number(name)
    const folder = folderOf(pid)
    return folder !== undefined && folder.slice(0, folder.lastIndexOf('/')) === parent ? [{ pid, folder }] : []
  })
}

/** Kills a process, and returns once the process has ended. Throws if the process is still alive after 10 s. */
export async function killProcess({ folder, pid }: GuestProcess): Promise<void> {
  const until = performance.now() + 10_000
  while (folderOf(pid) === folder) {
    if (performance.now() > until) throw new Error(`process ${pid} does not end`)
    signal(pid)
    await sleep(lookMs)
  }
}

/** Returns whether a process has ended within the time limit. */
export async function hasEnded({ folder, pid }: GuestProcess, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (folderOf(pid) === folder) {
    if (performance.now() > until) return false
    await sleep(lookMs)
  }
  return true
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended in the meantime, and the next look of the caller finds no process.
  }
}
