import { appendFileSync, renameSync, statSync } from 'node:fs'
import type { Guest } from './guest.ts'
import { consoleBytes } from './command-line.ts'
import { fileNames, type VmFolder } from './vm-folder.ts'

/** The size at which the file of the console is replaced, in bytes. The file before is kept. */
const mostBytes = 2 ** 20

/**
 * Moves the output of the serial port from the ring of QEMU to a file. The ring and the file are bounded, so a guest
 * cannot fill the disk of the host. If the ring overflows, the earliest output is lost.
 */
export async function drainConsole(folder: VmFolder, guest: Guest): Promise<void> {
  const request = { device: 'console', size: consoleBytes, format: 'base64' }
  const text = await guest.execute('ringbuf-read', request)
  if (typeof text !== 'string' || text === '') return
  const file = folder.file(fileNames.console)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= mostBytes)
    renameSync(file, folder.file(fileNames.consoleBefore))
  appendFileSync(file, Buffer.from(text, 'base64'), { mode: 0o600 })
}
