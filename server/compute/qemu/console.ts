import { appendFileSync, renameSync, statSync } from 'node:fs'
import type { Guest } from './guest.ts'
import { consoleBytes } from './command-line.ts'
import { fileNames, type VmFolder } from './vm-folder.ts'

/** The size at which the file of the console is replaced, in bytes. The file before is kept. */
const mostBytes = 2 ** 20

/**
 * Takes the output of the serial port from the ring of QEMU. The ring is bounded; if the ring overflows, the earliest
 * output is lost.
 */
export async function takeConsole(guest: Guest, timeoutMs: number): Promise<Buffer> {
  const request = { device: 'console', size: consoleBytes, format: 'base64' }
  const text = await guest.execute('ringbuf-read', request, timeoutMs)
  return Buffer.from(typeof text === 'string' ? text : '', 'base64')
}

/** Adds output to the file of the console. The file is bounded, so a guest cannot fill the disk of the host. */
export function keepConsole(folder: VmFolder, output: Buffer): void {
  if (output.length === 0) return
  const file = folder.file(fileNames.console)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= mostBytes)
    renameSync(file, folder.file(fileNames.consoleBefore))
  appendFileSync(file, output, { mode: 0o600 })
}
