import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../../store/sqlite/store-file.ts'

/** The names of the files of a machine that do not depend on its disks and interfaces. */
export const fileNames = {
  machine: 'machine.json',
  monitor: 'qmp.sock',
  process: 'qemu.pid',
  seed: 'seed.iso',
  source: 'source.img',
  saved: 'saved.state',
  console: 'console.log',
  consoleBefore: 'console.log.1',
} as const

/** The end of the names of files that are being written. A file gets its own name once it is complete. */
export const partial = '.tmp'

/** The record of a machine on its host. */
export interface MachineRecord {
  /** The power that the last finished change has led to. A machine that is ON without a process has crashed. */
  readonly power: 'OFF' | 'ON' | 'SAVED'
  /** The last finished change, so that a repeated call returns the same result. */
  readonly done?: { readonly change: string; readonly isForced: boolean }
  /** The type of the virtual hardware of a saved state: `pc-q35-7.2`. */
  readonly hardware?: string
  /** The logical ports of the machine since its last start, each with the socket of its interface. */
  readonly ports: readonly WiredPort[]
}

/** A logical port and the name of the socket at which QEMU listens for the switch. */
export interface WiredPort {
  readonly port: string
  readonly socket: string
}

/** The files of one machine. Only their owner can read them, because they hold the data of a tenant. */
export class VmFolder {
  /** The absolute path of the folder. */
  readonly path: string

  /** `parent` is an absolute path without links. */
  constructor(parent: string, vm: string) {
    if (!isVmId(vm)) throw new Error(`"${vm.slice(0, 80)}" is no id of a machine`)
    this.path = join(parent, vm)
  }

  /** Returns the absolute path of a file of the machine. */
  file(name: string): string {
    return join(this.path, name)
  }

  /** Returns whether the machine has a file of this name. */
  has(name: string): boolean {
    return existsSync(this.file(name))
  }

  /** Creates the folder if the folder does not exist. */
  make(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
  }

  /** Deletes the files that interrupted changes have not completed. */
  clean(): void {
    for (const name of readdirSync(this.path))
      if (name.endsWith(partial)) rmSync(this.file(name), { recursive: true, force: true })
  }

  /** Returns the record; undefined for a machine whose disks have not been created. Throws for a damaged record. */
  read(): MachineRecord | undefined {
    const file = this.file(fileNames.machine)
    try {
      return recordOf(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw new Error(`${file} is damaged`, { cause: error })
    }
  }

  /** Replaces the record in one step, so that an interrupted write leaves the record as it was. */
  write(record: MachineRecord): void {
    const file = this.file(fileNames.machine)
    writeFileSync(file + partial, JSON.stringify(record), { mode: 0o600 })
    renameSync(file + partial, file)
  }
}

/** Whether a name is the id of a machine: a UUID in lower case. */
export const isVmId = (name: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(name)

/**
 * Returns the name of a disk for QEMU. The name of a data disk comes from a caller, so QEMU gets the hash of the name.
 * QEMU accepts at most 31 characters.
 */
export const diskNode = (disk: string): string =>
  disk === '' ? 'boot' : `data-${createHash('sha256').update(disk).digest('hex').slice(0, 26)}`

/** Returns the name of the file of a disk. */
export const diskFile = (disk: string): string => `${diskNode(disk)}.qcow2`

/** Returns the name of the socket of an interface. Throws unless the interface is called `nic0` to `nic7`. */
export function interfaceSocket(name: string): string {
  if (!/^nic[0-7]$/.test(name)) throw new Error(`"${name.slice(0, 80)}" is no name of an interface`)
  return `${name}.sock`
}

const powers = ['OFF', 'ON', 'SAVED'] as const

function recordOf(value: unknown): MachineRecord {
  if (typeof value !== 'object' || value === null) throw new Error('the record is no object')
  const { done, hardware, ports, power }: Partial<Record<keyof MachineRecord, unknown>> = value
  const known = powers.find(each => each === power)
  if (known === undefined) throw new Error('the record has no power')
  return {
    power: known,
    ports: Array.isArray(ports) ? ports.filter(isPort) : [],
    ...(typeof hardware === 'string' && { hardware }),
    ...(isDone(done) && { done: { change: done.change, isForced: done.isForced } }),
  }
}

const isPort = (value: unknown): value is WiredPort =>
  typeof value === 'object' &&
  value !== null &&
  'port' in value &&
  typeof value.port === 'string' &&
  'socket' in value &&
  typeof value.socket === 'string' &&
  /^nic[0-7]\.sock$/.test(value.socket)

const isDone = (value: unknown): value is NonNullable<MachineRecord['done']> =>
  typeof value === 'object' &&
  value !== null &&
  'change' in value &&
  typeof value.change === 'string' &&
  'isForced' in value &&
  typeof value.isForced === 'boolean'
