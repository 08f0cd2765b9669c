import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DriverVm } from '../../../domain/compute/drivers/driver.ts'
import { runProgram } from './programs.ts'
import { fileNames, partial, type VmFolder } from './vm-folder.ts'

/** The time limit of `xorriso` in milliseconds. */
const isoMs = 60_000

/** The folder with the files of the seed, while the seed is being written. */
const draft = `seed${partial}`

/**
 * Returns the files of the data source NoCloud of cloud-init, keyed by name. JSON is a part of YAML, so no text of a
 * caller can change the structure of the documents.
 */
export function seedFiles({
  id,
  interfaces,
  metadata,
  name,
}: Pick<DriverVm, 'id' | 'interfaces' | 'metadata' | 'name'>) {
  const keys = (metadata['ssh-keys'] ?? '').split('\n').map(line => line.trim())
  const meta = {
    'instance-id': id,
    'local-hostname': name,
    'public-keys': keys.filter(key => key !== ''),
  }
  const ethernets = Object.fromEntries(
    interfaces.map(({ mac_address, name: nic }) => [nic, { match: { macaddress: mac_address }, dhcp4: true }]),
  )
  return {
    'meta-data': `${JSON.stringify(meta)}\n`,
    'user-data': metadata['user-data'] ?? '',
    'network-config': `${JSON.stringify({ version: 2, ethernets })}\n`,
  } as const
}

/** Writes the disk from which cloud-init reads the data of a machine: an ISO image with the label `cidata`. */
export async function writeSeed(folder: VmFolder, vm: DriverVm, signal: AbortSignal): Promise<void> {
  const source = folder.file(draft)
  const unfinished = `${fileNames.seed}${partial}`
  rmSync(source, { recursive: true, force: true })
  mkdirSync(source, { mode: 0o700 })
  for (const [name, text] of Object.entries(seedFiles(vm))) writeFileSync(join(source, name), text, { mode: 0o600 })
  const words = ['-as', 'mkisofs', '-quiet', '-volid', 'cidata', '-joliet', '-rock', '-output', unfinished, draft]
  await runProgram('xorriso', words, { folder: folder.path, signal, timeoutMs: isoMs })
  renameSync(folder.file(unfinished), folder.file(fileNames.seed))
  rmSync(source, { recursive: true, force: true })
}
