import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as others find it by its number. */
export interface ProcessPlace {
  readonly host: string
  readonly pid: number
  /** When it started, in its own measure: an earlier process of the same number has another. */
  readonly process_start: number
}

/**
 * Where numbers of processes mean the same processes. A name alone does not say so: containers may share one and see
 * none of each other's processes, so that on Linux the boot of the kernel and the namespace of the numbers belong to it.
 */
const host = [hostname(), ...linuxNamespace()].join(' ')

export const ownPlace = (): ProcessPlace => ({ host, pid: process.pid, process_start: startOf() })

/** Certain only on the same host: the process is not there, or its number is that of this one, which came later. */
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
