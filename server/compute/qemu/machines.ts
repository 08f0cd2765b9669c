import { mkdirSync, realpathSync } from 'node:fs'
import type { PortWires } from '../../../domain/ports/network.ts'
import type { Log } from '../../log.ts'
import { keepConsole, takeConsole } from './console.ts'
import { Guest } from './guest.ts'
import { ImageFiles } from './image-files.ts'
import { SerialLines } from './serial-lines.ts'
import { VmFolder, type MachineRecord } from './vm-folder.ts'

/** The parts that the driver needs. */
export interface QemuParts {
  /** The folder of all machines of this host; the driver creates the folder. */
  readonly folder: string
  /** Returns the switch of this server. The driver calls `wires` after the areas are mounted. */
  readonly wires: () => PortWires
  readonly log: Pick<Log, 'warn'>
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
}

/** The time limit of a look at a guest, in milliseconds. */
export const lookMs = 2000

/** The machines of this host: their folders, the sessions with their guests, their ports and their serial lines. */
export class Machines {
  readonly lines: SerialLines = new SerialLines()
  readonly #parts: QemuParts
  readonly #guests = new Map<string, Guest>()
  /** The attached ports, keyed by machine. */
  readonly #wired = new Map<string, MachineRecord['ports']>()
  #home: { readonly path: string; readonly images: ImageFiles } | undefined

  constructor(parts: QemuParts) {
    this.#parts = parts
  }

  /** Whether the folder of all machines has been used. */
  get isOpen(): boolean {
    return this.#home !== undefined
  }

  /** Returns the folder of all machines without links, because processes name their folders so. */
  home(): { readonly path: string; readonly images: ImageFiles } {
    if (this.#home) return this.#home
    mkdirSync(this.#parts.folder, { recursive: true, mode: 0o700 })
    const path = realpathSync(this.#parts.folder)
    return (this.#home = { path, images: new ImageFiles(path) })
  }

  folderOf(vm: string): VmFolder {
    return new VmFolder(this.home().path, vm)
  }

  guestOf(vm: string): Guest {
    const known = this.#guests.get(vm)
    if (known) return known
    const guest = new Guest(this.folderOf(vm))
    this.#guests.set(vm, guest)
    return guest
  }

  /** Connects the ports of a machine with the switch. */
  attach(vm: string, ports: MachineRecord['ports']): void {
    const folder = this.folderOf(vm)
    for (const { port, socket } of ports) this.#parts.wires().attach(port, folder.file(socket))
    this.#wired.set(vm, ports)
  }

  /** Disconnects the ports of a machine. */
  detach(vm: string): void {
    const ports = this.#wired.get(vm) ?? recordOf(this.folderOf(vm))?.ports ?? []
    for (const { port } of ports) this.#parts.wires().detach(port)
    this.#wired.delete(vm)
  }

  /** Moves the output of the serial port of a guest to the lines and to the file of its machine. */
  async drain(vm: string): Promise<void> {
    const output = await takeConsole(this.guestOf(vm), lookMs)
    this.lines.add(vm, output, this.#parts.now())
    keepConsole(this.folderOf(vm), output)
  }

  /** Ends the process of a machine after its last output is kept. A fault of the output does not keep the process. */
  async end(vm: string): Promise<void> {
    const guest = this.guestOf(vm)
    if (guest.process()) await this.drain(vm).catch(() => undefined)
    await guest.end()
  }

  /** Forgets a machine that no longer exists. */
  forget(vm: string): void {
    this.#guests.delete(vm)
    this.lines.drop(vm)
  }

  /** Ends the sessions with guests. The guests go on. */
  close(): void {
    for (const guest of this.#guests.values()) guest.drop()
  }
}

/** Returns the record of a machine; undefined for a damaged record, which must not prevent a deletion. */
function recordOf(folder: VmFolder): MachineRecord | undefined {
  try {
    return folder.read()
  } catch {
    return undefined
  }
}
