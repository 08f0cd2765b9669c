import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriverVm } from '../../../../domain/compute/drivers/driver.ts'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { qcow2Header } from '../../../../server/compute/qemu/disks.ts'
import { guestProcesses, killProcess } from '../../../../server/compute/qemu/processes.ts'
import { diskFile } from '../../../../server/compute/qemu/vm-folder.ts'
import { driverContract, ended, tinyVm, type DriverSubject } from '../../../domain/compute/drivers/driver-contract.ts'
import { testFolder } from '../../store/harness.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuSubject, type QemuSubject } from './qemu-subject.ts'

/** Creates a machine and boots it. */
async function running(subject: DriverSubject, vm: DriverVm): Promise<void> {
  for (const verb of ['provision', 'start'] as const)
    expect(await ended(subject, (driver, call) => driver[verb](call), vm, verb)).toEqual({ kind: 'done' })
}

/** Kills the only process of a driver, as the system does when memory is short. */
async function killGuest({ folder }: QemuSubject): Promise<void> {
  const [guest, ...others] = guestProcesses(folder)
  if (!guest || others.length > 0) throw new Error('the folder has not exactly one process')
  await killProcess(guest)
  // The server reaps its children, so that no zombie is left.
  await expect.poll(() => existsSync(`/proc/${guest.pid}`)).toBe(false)
}

/** Returns the path of a disk whose boot sector powers the machine off at once. */
function quittingDisk(): string {
  const sector = Buffer.alloc(512)
  sector.write('ba0406b80020eff4ebfd', 'hex')
  sector.writeUInt16LE(0xaa55, 510)
  const path = join(testFolder(), 'quits.raw')
  writeFileSync(path, sector)
  return path
}

/** A store that the driver must not use, because its lines are no rows. */
const noReader = new Proxy<Transaction>(Object.create(null), {
  get() {
    throw new Error('the driver of QEMU needs no store')
  },
})

describe.skipIf(lacksQemu)('the driver of QEMU', () => {
  driverContract('QEMU', () => qemuSubject())

  it('reports a killed process until a call about the machine follows', async () => {
    const subject = await qemuSubject()
    const vm = tinyVm('killed')
    await running(subject, vm)
    expect(await subject.events()).toEqual([])
    await killGuest(subject)
    for (let i = 0; i < 2; i += 1) expect(await subject.events()).toEqual([{ vm: vm.id, lapse: 'CRASH' }])
    expect(await subject.probe(vm)).toEqual({ power: 'OFF', lapse: 'CRASH' })
    expect(await ended(subject, (driver, call) => driver.suspend(call), vm, 'suspend')).toMatchObject({
      kind: 'failed',
    })
    expect(await subject.events()).toHaveLength(1)
    expect(await ended(subject, (driver, call) => driver.start(call), vm, 'revive')).toEqual({ kind: 'done' })
    expect(await subject.events()).toEqual([])
    expect(await subject.probe(vm)).toEqual({ power: 'ON' })
  })

  it('reports a guest that powers itself off, also after a restart of the server', async () => {
    const subject = await qemuSubject()
    const vm = tinyVm('quits', { image: { name: 'quits', boot_ms: 1, file: quittingDisk() } })
    await running(subject, vm)
    await expect.poll(() => subject.events()).toEqual([{ vm: vm.id, lapse: 'GUEST_SHUTDOWN' }])
    const later = await subject.again()
    expect(await later.events()).toEqual([{ vm: vm.id, lapse: 'GUEST_SHUTDOWN' }])
    expect(await later.probe(vm)).toEqual({ power: 'OFF', lapse: 'GUEST_SHUTDOWN' })
    expect(await ended(later, (driver, call) => driver.powerOff(call), vm, 'off')).toEqual({ kind: 'done' })
    expect(await later.events()).toEqual([])
    expect(guestProcesses(subject.folder)).toEqual([])
  })

  it('finds guests again after a restart of the server, and connects their ports', async () => {
    const subject = await qemuSubject()
    const interfaces = [{ name: 'nic0', port_id: 'port-1', mac_address: '02:00:00:00:00:01' }]
    const vm = tinyVm('outlives', { interfaces })
    await running(subject, vm)
    const socket = join(subject.folder, vm.id, 'nic0.sock')
    expect([...subject.wired]).toEqual([['port-1', socket]])
    expect(statSync(socket).isSocket()).toBe(true)
    subject.wired.clear()
    const later = await subject.again()
    expect(await later.events()).toEqual([])
    expect([...subject.wired]).toEqual([['port-1', socket]])
    expect(await later.probe(vm)).toEqual({ power: 'ON' })
    await ended(later, (driver, call) => driver.destroy(call), vm, 'gone')
    expect([...subject.wired]).toEqual([])
    expect(existsSync(join(subject.folder, vm.id))).toBe(false)
  })

  it('runs guests in a folder whose path is longer than the kernel permits for sockets', async () => {
    const place = join(testFolder(), 'a'.repeat(150))
    mkdirSync(place)
    const subject = await qemuSubject(place)
    const interfaces = [{ name: 'nic0', port_id: 'port-1', mac_address: '02:00:00:00:00:01' }]
    const vm = tinyVm('far', { interfaces })
    await running(subject, vm)
    expect(await ended(subject, (driver, call) => driver.powerOff(call), vm, 'off')).toEqual({ kind: 'done' })
  })

  it('keeps the output of the serial port in a bounded file', async () => {
    const subject = await qemuSubject()
    const vm = tinyVm('prints')
    await running(subject, vm)
    const file = join(subject.folder, vm.id, 'console.log')
    const printed = async (): Promise<string> => {
      await subject.events()
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    }
    await expect.poll(printed).toBe('boot\n')
    writeFileSync(file, Buffer.alloc(2 ** 20))
    await ended(subject, (driver, call) => driver.reset(call), vm, 'reset')
    await expect.poll(printed).toBe('boot\n')
    expect(statSync(`${file}.1`).size).toBe(2 ** 20)
  })

  it('hands the lines of the serial port on until they are forgotten, also those before the end of a guest', async () => {
    const subject = await qemuSubject()
    const { telemetry } = subject.driver
    if (!telemetry) throw new Error('the driver has no telemetry')
    const vm = tinyVm('speaks')
    const texts = async (): Promise<readonly string[]> => {
      const found: string[] = []
      for await (const { lines } of telemetry.serial(noReader, 0)) found.push(...lines.map(({ text }) => text))
      return found
    }
    await running(subject, vm)
    expect(await ended(subject, (driver, call) => driver.shutdown(call, call.now + 60_000), vm, 'down')).toEqual({
      kind: 'done',
      isForced: false,
    })
    expect(readFileSync(join(subject.folder, vm.id, 'console.log'), 'utf8')).toBe('boot\n')
    for (let i = 0; i < 2; i += 1) expect(await texts()).toEqual(['boot'])
    for await (const output of telemetry.serial(noReader, 0)) await telemetry.forget(noReader, output)
    expect(await texts()).toEqual([])
  })

  it('creates no disk that is smaller than its image', async () => {
    const subject = await qemuSubject()
    const file = join(testFolder(), 'large.raw')
    writeFileSync(file, '')
    truncateSync(file, 2 ** 30 + 1)
    const large = (size_gib: number) =>
      tinyVm('large', { image: { name: 'large', boot_ms: 1, file }, disks: [{ name: '', size_gib }] })
    const create = (size_gib: number) =>
      ended(subject, (driver, call) => driver.provision(call), large(size_gib), `create-${size_gib}`)
    const message = 'image large has 2 GiB, and the boot disk only 1'
    expect(await create(1)).toEqual({ kind: 'failed', message })
    expect(await create(2)).toEqual({ kind: 'done' })
  })

  it('grows a disk under a running guest, and never resizes the disk of another name', async () => {
    const subject = await qemuSubject()
    const vm = tinyVm('grows')
    await running(subject, vm)
    const grow = (name: string, size_gib: number) =>
      ended(subject, (driver, call) => driver.resizeDisk(call, { name, size_gib }), vm, 'grow')
    const sizes = () =>
      ['', 'data'].map(name => (qcow2Header(join(subject.folder, vm.id, diskFile(name)))?.virtualBytes ?? 0) / 2 ** 30)
    expect(await grow('data', 5)).toEqual({ kind: 'done' })
    expect(sizes()).toEqual([1, 5])
    expect(await grow('more', 1)).toEqual({ kind: 'failed', message: 'the machine is running' })
    expect(await grow('data', 0)).toEqual({ kind: 'failed', message: 'the machine is running' })
    expect(sizes()).toEqual([1, 5])
  })

  it.each(['debian-13', 'gone'])('cannot create a machine of the image %s without its file', async name => {
    const subject = await qemuSubject()
    const vm = tinyVm('without', { image: name === 'gone' ? undefined : { name, boot_ms: 1 } })
    const message =
      name === 'gone'
        ? 'the image of the boot disk is not in the catalogue'
        : 'image debian-13 has no file and no url on this server; compute.images_file must name one'
    const answer = await ended(subject, (driver, call) => driver.provision(call), vm, 'one')
    expect(answer).toEqual({ kind: 'failed', message })
    expect((await subject.probe(vm)).power).toBe('ABSENT')
    expect(await ended(subject, (driver, call) => driver.destroy(call), vm, 'two')).toEqual({ kind: 'done' })
    expect(existsSync(join(subject.folder, vm.id))).toBe(false)
  })

  it('keeps the saved state after a failed resume', async () => {
    const subject = await qemuSubject()
    const vm = tinyVm('damaged')
    await running(subject, vm)
    expect(await ended(subject, (driver, call) => driver.suspend(call), vm, 'suspend')).toEqual({ kind: 'done' })
    const file = join(subject.folder, vm.id, 'saved.state')
    const state = readFileSync(file)
    writeFileSync(file, state.subarray(0, 1000))
    const resume = (request: string) => ended(subject, (driver, call) => driver.resume(call), vm, request)
    expect(await resume('first')).toEqual({ kind: 'failed', message: 'the host could not continue the machine' })
    expect(await subject.probe(vm)).toEqual({ power: 'SAVED' })
    expect(guestProcesses(subject.folder)).toEqual([])
    writeFileSync(file, state)
    expect(await resume('second')).toEqual({ kind: 'done' })
    expect(existsSync(file)).toBe(false)
  })
})
