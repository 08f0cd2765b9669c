import { spawn } from 'node:child_process'
import {
  accessSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trialSector } from './boot-sector.ts'
import { programEnvironment } from './programs.ts'

/** The way in which QEMU runs the processors of guests: by the hardware, or by translation of code. */
export type Accelerator = 'kvm' | 'tcg'

/** The program that runs guests. */
export const qemu = 'qemu-system-x86_64'

/** The time limit for a guest to boot under kvm, in milliseconds (compute.md 6). */
const bootMs = 2000

let known: Promise<Accelerator> | undefined

/** Returns the accelerator of this host. The first call boots a guest under kvm if the host has kvm. */
export const hostAccelerator = (): Promise<Accelerator> => (known ??= probeAccelerator())

/**
 * Returns kvm if a guest boots under kvm within the time limit, else tcg: on some machines `/dev/kvm` exists and can be
 * opened, but a guest never starts, or ends at the first return from an interrupt in its boot loader.
 */
export async function probeAccelerator(
  program: string = qemu,
  device = '/dev/kvm',
  timeoutMs: number = bootMs,
): Promise<Accelerator> {
  try {
    accessSync(device, constants.R_OK | constants.W_OK)
  } catch {
    return 'tcg'
  }
  let disk: number | undefined
  try {
    disk = bootDisk()
    return (await prints(program, disk, 'boot', timeoutMs)) ? 'kvm' : 'tcg'
  } catch {
    // Without a temporary file the server cannot boot a guest under kvm, so kvm is unproven.
    return 'tcg'
  } finally {
    if (disk !== undefined) closeSync(disk)
  }
}

/** The size of the disk in bytes. SeaBIOS does not boot a virtio disk of a single sector. */
const diskBytes = 2 ** 20

/** Returns an open disk with the boot sector. The file has no name any more, so a killed server leaves no file. */
function bootDisk(): number {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-kvm-'))
  try {
    const path = join(folder, 'tiny.raw')
    writeFileSync(path, trialSector())
    truncateSync(path, diskBytes)
    return openSync(path, 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const probeWords = [
  ['-nodefaults', '-no-user-config', '-display', 'none', '-machine', 'q35,accel=kvm', '-m', 'size=128M'],
  ['-serial', 'stdio', '-add-fd', 'fd=3,set=1'],
  ['-blockdev', 'driver=raw,node-name=disk0,read-only=on,file.driver=file,file.filename=/dev/fdset/1'],
  ['-device', 'virtio-blk-pci,drive=disk0'],
].flat()

/** Returns whether a guest of the disk prints a word in time. The guest has ended when the promise resolves. */
function prints(program: string, disk: number, word: string, timeoutMs: number): Promise<boolean> {
  return new Promise(resolve => {
    // A guest that never starts would outlive a killed server, so `timeout` ends the guest in any case.
    const words = ['-s', 'KILL', String(timeoutMs / 1000 + 1), program, ...probeWords]
    const child = spawn('timeout', words, {
      env: programEnvironment,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore', disk],
    })
    const { stdout } = child
    if (!stdout) return resolve(false)
    const kill = (): void => killGroup(child.pid)
    const timer = setTimeout(kill, timeoutMs)
    let text = ''
    stdout.setEncoding('latin1')
    stdout.on('data', (more: string) => {
      text = (text + more).slice(-1000)
      if (text.includes(word)) kill()
    })
    const end = (): void => {
      clearTimeout(timer)
      resolve(text.includes(word))
    }
    child.on('error', end)
    child.on('close', end)
  })
}

/** Kills the processes of the group that a detached process leads. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // The processes have ended in the meantime.
  }
}

/** Returns the numbers of the NUMA nodes of this host in ascending order; no numbers if the kernel lists no nodes. */
export function hostNodes(folder = '/sys/devices/system/node'): readonly number[] {
  try {
    const found = readdirSync(folder).flatMap(name => /^node(\d{1,4})$/.exec(name)?.[1] ?? [])
    return found.map(Number).toSorted((a, b) => a - b)
  } catch {
    return []
  }
}
