import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guestProcesses, killProcess } from '../../../../server/compute/qemu/processes.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuBody, qemuTenant } from './qemu-zone.ts'

describe.skipIf(lacksQemu)('the doctor on a host of QEMU', () => {
  it('names each difference between the rows of machines and their files and processes', async () => {
    const { api, created, ended, folder, platform, workspace } = await qemuTenant()
    const data_disks = [{ name: 'data', size_gib: 1 }]
    const { id } = await created('runs', { ...qemuBody, data_disks })
    const { id: off } = await created('off', { ...qemuBody, start_on_create: false })
    const { id: saved } = await created('saved', qemuBody)
    await ended(await api.compute.suspendVm({ workspace, id: saved, body: {} }))
    // The guests outlive their server, and no worker follows their changes any more.
    await platform.close()
    const findings = async (): Promise<readonly string[]> =>
      (await doctorFindings(platform.config)).map(line => line.replace(/^compute\.(?:vms|machines) /, ''))
    expect(await findings()).toEqual([])

    const own = join(folder, id)
    /** Moves a file away; returns a function that moves the file back. */
    const moved = (file: string): (() => void) => {
      renameSync(file, `${file}-moved`)
      return () => renameSync(`${file}-moved`, file)
    }
    const dataDisk = readdirSync(own).find(name => name.startsWith('data-')) ?? ''
    const cases: readonly (readonly [tamper: () => () => void, finding: string])[] = [
      [() => moved(join(own, 'boot.qcow2')), `${id}: has no file for its boot disk`],
      [() => moved(join(own, dataDisk)), `${id}: has no file for its data disk data`],
      [() => moved(join(folder, saved, 'saved.state')), `${saved}: has lost its saved state`],
      [() => moved(join(folder, off)), `${off}: is STOPPED, but on this host it has no files`],
      [() => kept(join(own, 'boot.qcow2.tmp')), `${id}: has the file boot.qcow2.tmp, which belongs to no disk`],
      [() => kept(join(folder, 'stray')), 'stray: is a file in the folder of virtual machines that no part of the'],
      [() => folderOf(join(folder, '01a226eb-67fa-7119-b391-5945f9161f2f')), 'has files on this host, and no virtual'],
      [() => rewritten(join(folder, off, 'machine.json'), '{'), `${off}: has a damaged machine.json on this host`],
      [
        () => rewritten(join(folder, off, 'machine.json'), '{"power":"ON","ports":[]}'),
        `${off}: is STOPPED, but on this host its power is ON`,
      ],
    ]
    for (const [tamper, finding] of cases) {
      const mend = tamper()
      const found = await findings()
      mend()
      expect([finding, found.filter(line => line.includes(finding)).length]).toEqual([finding, 1])
    }
    expect(await findings()).toEqual([])
    rmSync(own, { recursive: true })
    expect(await findings()).toEqual([`${id}: is RUNNING, but on this host it has no files`])
    for (const process of guestProcesses(folder)) await killProcess(process)
    expect(await findings()).toContain(`${id}: is RUNNING, but no process runs its guest`)
  })

  it('is content once a killed guest runs again', async () => {
    const { created, folder, get, platform } = await qemuTenant()
    const { id } = await created('revived', qemuBody)
    const [first] = guestProcesses(folder)
    if (!first) throw new Error('no guest runs')
    await killProcess(first)
    await expect.poll(() => get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 2 })
    expect(guestProcesses(folder)).toHaveLength(1)
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

/** Creates a file; returns a function that deletes the file. */
function kept(file: string): () => void {
  writeFileSync(file, '')
  return () => rmSync(file)
}

/** Creates a folder; returns a function that deletes the folder. */
function folderOf(path: string): () => void {
  mkdirSync(path)
  return () => rmSync(path, { recursive: true })
}

/** Replaces the content of a machine's record; returns a function that restores the record of a machine that is off. */
function rewritten(file: string, text: string): () => void {
  writeFileSync(file, text)
  return () => writeFileSync(file, '{"power":"OFF","ports":[]}')
}
