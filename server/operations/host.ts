import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The identity of a process for other processes of the host. */
export interface ProcessPlace {
  readonly host: string
  readonly pid: number
  /** The start of the process in units of the system; an earlier process with the same number has another value. */
  readonly process_start: number
}

/**
 * The host within which process numbers are unique. A host name is not enough, because containers may share a name. On
 * Linux the boot id of the kernel and the namespace of process numbers are added.
 */
const host = [hostname(), ...linuxNamespace()].join(' ')

/** Returns the identity of this process. */
export const ownPlace = (): ProcessPlace => ({ host, pid: process.pid, process_start: startOf() })

/**
 * Whether a process is certainly dead: on the same host, the process does not exist, or its number belongs to a later
 * process. False for processes of other hosts.
 */
export function isGone(place: ProcessPlace): boolean {
  if (place.host !== host) return false
  if (place.pid === process.pid) return place.process_start !== startOf()
  try {
    process.kill(place.pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

const startOf = (): number => Math.round(performance.timeOrigin)

function linuxNamespace(): readonly string[] {
  try {
    return [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readlinkSync('/proc/self/ns/pid')]
  } catch {
    return []
  }
}
