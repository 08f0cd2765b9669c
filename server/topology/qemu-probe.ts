import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import type { DriverFacts, DriverProbe } from '../../domain/topology/probes/driver-probe.ts'

/** The time limit for QEMU to print its version, in milliseconds. */
const patienceMs = 5000

/** The maximal output of QEMU, in bytes. */
const maxBuffer = 65_536

const program = 'qemu-system-x86_64'

/**
 * Returns a probe that reports whether QEMU runs on this host: whether `command` prints a version. Concurrent calls
 * share one process, which is killed after `timeoutMs`.
 */
export function qemuProbe(command: string = program, timeoutMs: number = patienceMs): DriverProbe {
  let running: Promise<DriverFacts> | undefined
  return () => (running ??= probe(command, timeoutMs).finally(() => (running = undefined)))
}

async function probe(command: string, timeoutMs: number): Promise<DriverFacts> {
  const host = { vcpus: cpus().length, memoryMib: Math.floor(totalmem() / 2 ** 20) }
  const fault = await new Promise<string | undefined>(resolve => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer, windowsHide: true } as const
    execFile(command, ['--version'], options, error => resolve(error === null ? undefined : faultOf(error, timeoutMs)))
  })
  return { isRunning: fault === undefined, message: fault ?? '', host }
}

/** Returns the fault for people, without paths and output of the host. */
function faultOf({ code, killed }: { readonly code?: unknown; readonly killed?: unknown }, timeoutMs: number): string {
  if (code === 'ENOENT') return `${program} not found`
  if (killed === true) return `${program} did not answer within ${timeoutMs / 1000} s`
  return `${program} --version failed with ${String(code).slice(0, 40)}`
}
