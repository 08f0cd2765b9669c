import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import type { DriverFacts, DriverProbe } from '../../domain/topology/probes/driver-probe.ts'
import { hostAccelerator, qemu, type Accelerator } from '../compute/qemu/accelerator.ts'

/** The time limit for QEMU to print its version, in milliseconds. */
const patienceMs = 5000

/** The maximal output of QEMU, in bytes. */
const maxBuffer = 65_536

/** The parts of a probe; tests replace them. */
export interface QemuProbeOptions {
  readonly command?: string
  readonly timeoutMs?: number
  /** Returns the accelerator of guests on this host. */
  readonly accelerator?: () => Promise<Accelerator>
}

/**
 * Returns a probe that reports whether QEMU runs on this host: whether `command` prints a version. The message then
 * names the accelerator. Concurrent calls share one process, which is killed after `timeoutMs`.
 */
export function qemuProbe({
  accelerator = hostAccelerator,
  command = qemu,
  timeoutMs = patienceMs,
}: QemuProbeOptions = {}): DriverProbe {
  let running: Promise<DriverFacts> | undefined
  return () => (running ??= probe({ accelerator, command, timeoutMs }).finally(() => (running = undefined)))
}

const messages: Readonly<Record<Accelerator, string>> = {
  kvm: 'guests run by kvm',
  tcg: 'guests run by tcg, which translates their code: no guest boots under kvm on this host',
}

async function probe({ accelerator, command, timeoutMs }: Required<QemuProbeOptions>): Promise<DriverFacts> {
  const host = { vcpus: cpus().length, memoryMib: Math.floor(totalmem() / 2 ** 20) }
  const fault = await new Promise<string | undefined>(resolve => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer, windowsHide: true } as const
    execFile(command, ['--version'], options, error => resolve(error === null ? undefined : faultOf(error, timeoutMs)))
  })
  if (fault !== undefined) return { isRunning: false, message: fault, host }
  return { isRunning: true, message: messages[await accelerator()], host }
}

/** Returns the fault for people, without paths and output of the host. */
function faultOf({ code, killed }: { readonly code?: unknown; readonly killed?: unknown }, timeoutMs: number): string {
  if (code === 'ENOENT') return `${qemu} not found`
  if (killed === true) return `${qemu} did not answer within ${timeoutMs / 1000} s`
  return `${qemu} --version failed with ${String(code).slice(0, 40)}`
}
