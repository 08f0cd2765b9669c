import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncFile, syncFolder } from '../../durable-files.ts'
import type { Guest } from './guest.ts'
import { isHardware } from './command-line.ts'
import { fileNames, partial, type VmFolder } from './vm-folder.ts'

/** The name of a state that is still being written, and its name after the last byte is written. */
const [unfinished, written] = [`${fileNames.saved}${partial}`, `${fileNames.saved}.all${partial}`]

/** The interval between two looks at a transfer, in milliseconds. */
const lookMs = 20

/** The time limit for the last bytes after QEMU has sent the state, in milliseconds. */
const lastBytesMs = 60_000

/** The maximal rate of a transfer in bytes a second. QEMU limits the rate to 128 MiB/s otherwise. */
const bandwidth = 100 * 2 ** 30

/** The memory of a guest could not be saved. */
export class SaveFailed extends Error {
  override readonly name = 'SaveFailed'
}

/**
 * Pauses the guest and writes its memory and devices to a file, which is complete and on the disk when the promise
 * resolves. Returns the type of the virtual hardware, which a later process needs. A repeated call
 * continues an interrupted transfer. Throws SaveFailed.
 */
export async function saveState(folder: VmFolder, guest: Guest, signal: AbortSignal): Promise<string> {
  const hardware = await hardwareOf(guest)
  if ((await runState(guest)) !== 'postmigrate' && !(await isTransferring(guest))) await begin(folder, guest)
  while (await isTransferring(guest)) await sleep(lookMs, undefined, { signal })
  if ((await runState(guest)) !== 'postmigrate') throw new SaveFailed('QEMU could not send the state')
  if (folder.has(fileNames.saved)) return hardware
  const until = performance.now() + lastBytesMs
  while (!folder.has(written)) {
    const isFailed = !folder.has(unfinished) && !folder.has(written)
    if (isFailed || performance.now() > until) throw new SaveFailed('the state could not be written')
    await sleep(lookMs, undefined, { signal })
  }
  syncFile(folder.file(written))
  renameSync(folder.file(written), folder.file(fileNames.saved))
  syncFolder(folder.path)
  return hardware
}

async function begin(folder: VmFolder, guest: Guest): Promise<void> {
  for (const name of [unfinished, written, fileNames.saved]) rmSync(folder.file(name), { force: true })
  // The file is there before `cat`, so that its absence later means a failure of `cat`, for example on a full disk.
  writeFileSync(folder.file(unfinished), '', { mode: 0o600 })
  await guest.execute('stop')
  await guest.execute('migrate-set-parameters', { 'max-bandwidth': bandwidth })
  // QEMU reports the end before `cat` has written the last bytes, so the second name marks the end.
  await guest.execute('migrate', {
    uri: `exec:cat > ${unfinished} && mv -f ${unfinished} ${written} || rm -f ${unfinished}`,
  })
}

/** Lets the guest go on after its state could not be saved. */
export async function abandonState(folder: VmFolder, guest: Guest): Promise<void> {
  await guest.execute('migrate_cancel')
  while (await isTransferring(guest)) await sleep(lookMs)
  await guest.execute('cont')
  for (const name of [unfinished, written]) rmSync(folder.file(name), { force: true })
}

/** Loads the saved state into a process that waits for the state. Throws QmpClosed if the process has ended. */
export async function loadState(guest: Guest, signal: AbortSignal): Promise<void> {
  await guest.execute('migrate-incoming', { uri: `exec:cat ${fileNames.saved}` })
  while ((await runState(guest)) === 'inmigrate') await sleep(lookMs, undefined, { signal })
}

/** Returns the run state of QEMU, for example `running`. */
const runState = async (guest: Guest): Promise<string> => textOf(await guest.execute('query-status'), 'status')

const transferring: readonly string[] = ['setup', 'active', 'device', 'pre-switchover', 'cancelling']

/** Whether a transfer to a file is in progress. */
async function isTransferring(guest: Guest): Promise<boolean> {
  const status = textOf(await guest.execute('query-migrate'), 'status')
  return transferring.includes(status) || (await runState(guest)) === 'finish-migrate'
}

async function hardwareOf(guest: Guest): Promise<string> {
  const type = await guest.execute('qom-get', { path: '/machine', property: 'type' })
  const hardware = String(type).replace(/-machine$/, '')
  if (!isHardware(hardware)) throw new SaveFailed('QEMU has an unknown type of hardware')
  return hardware
}

/** Returns a member of an answer of QEMU as text; empty if the answer lacks the member. */
function textOf(answer: unknown, member: string): string {
  const value: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, member) : undefined
  return typeof value === 'string' ? value : ''
}
