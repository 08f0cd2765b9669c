import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DriverVm } from '../../../../domain/compute/drivers/driver.ts'
import { guestProcesses, killProcess } from '../../../../server/compute/qemu/processes.ts'
import { QmpSession } from '../../../../server/compute/qemu/qmp.ts'
import { fileNames } from '../../../../server/compute/qemu/vm-folder.ts'
import { ended, tinyVm, type DriverSubject } from '../../../domain/compute/drivers/driver-contract.ts'
import { fill, needsMount, smallDisk } from '../../small-disk.ts'
import { lacksQemu } from './lacks-qemu.ts'
import { qemuSubject, type QemuSubject } from './qemu-subject.ts'

const done = { kind: 'done' }

/** Creates a machine and boots it. */
async function running(subject: DriverSubject, label: string): Promise<DriverVm> {
  const vm = tinyVm(label)
  for (const verb of ['provision', 'start'] as const)
    expect(await ended(subject, (driver, call) => driver[verb](call), vm, verb)).toEqual(done)
  return vm
}

function processOf({ folder }: QemuSubject, vm: DriverVm) {
  const found = guestProcesses(folder).find(process => process.folder.endsWith(vm.id))
  if (!found) throw new Error(`no process runs ${vm.name}`)
  return found
}

/** Stops the process of a machine until the end of the test, as a debugger or a host without memory does. */
function freeze(subject: QemuSubject, vm: DriverVm): void {
  const { pid } = processOf(subject, vm)
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // The test has ended the process.
    }
  })
}

/** Speaks with the monitor of a machine that no driver speaks with; returns the run state after the command. */
async function commanded({ folder }: QemuSubject, vm: DriverVm, command: string): Promise<unknown> {
  const session = await QmpSession.open(join(folder, vm.id, fileNames.monitor))
  try {
    await session.execute(command)
    return await session.execute('query-status')
  } finally {
    session.close()
  }
}

describe.skipIf(lacksQemu)('the driver of QEMU on a failing host', () => {
  it.each(['shutdown', 'powerOff', 'destroy'] as const)('ends a process that does not answer by %s', async verb => {
    const subject = await qemuSubject()
    const vm = await running(subject, 'frozen')
    freeze(subject, vm)
    const answer = await ended(
      subject,
      (driver, call) => (verb === 'shutdown' ? driver.shutdown(call, call.now + 1000) : driver[verb](call)),
      vm,
      verb,
    )
    expect(answer).toEqual(verb === 'shutdown' ? { kind: 'done', isForced: true } : done)
    expect(guestProcesses(subject.folder)).toEqual([])
  })

  it('finds a crash within seconds beside processes that do not answer, and logs each of them once', async () => {
    const subject = await qemuSubject()
    const vms: DriverVm[] = []
    for (const label of ['a', 'b', 'c', 'd']) vms.push(await running(subject, label))
    const [crashed, ...frozen] = vms
    if (!crashed) throw new Error('there is no machine')
    for (const vm of frozen) freeze(subject, vm)
    await killProcess(processOf(subject, crashed))
    // A server that has just started has no sessions yet.
    const later = await subject.again()
    for (let round = 0; round < 2; round += 1) {
      const since = performance.now()
      expect(await later.events()).toEqual([{ vm: crashed.id, lapse: 'CRASH' }])
      expect(performance.now() - since).toBeLessThan(5000)
    }
    expect(subject.lines.map(line => Reflect.get(line, 'vm'))).toHaveLength(frozen.length)
  })

  it('runs a guest again that an interrupted change has left paused', async () => {
    const subject = await qemuSubject()
    const vm = await running(subject, 'paused')
    await subject.close()
    expect(await commanded(subject, vm, 'stop')).toMatchObject({ status: 'paused' })
    const later = await subject.again()
    expect(await later.events()).toEqual([])
    await later.close()
    expect(await commanded(subject, vm, 'query-status')).toMatchObject({ status: 'running' })
  })

  it.for([0, 0.3, 0.98])(
    'goes on with a guest whose state of size 1 has only %d of it free on the disk, and saves it later',
    async (share, { skip }) => {
      const disk = smallDisk(16_384)
      if (disk === undefined) return skip(needsMount)
      const subject = await qemuSubject(disk)
      const vm = await running(subject, 'full')
      const call = (verb: 'suspend' | 'resume', request: string) =>
        ended(subject, (driver, about) => driver[verb](about), vm, request)
      expect(await call('suspend', 'first')).toEqual(done)
      const { size } = statSync(join(subject.folder, vm.id, fileNames.saved))
      expect(await call('resume', 'second')).toEqual(done)
      fill(disk, Math.floor((share * size) / 1024))
      const since = performance.now()
      expect(await call('suspend', 'third')).toMatchObject({ kind: 'failed' })
      expect(performance.now() - since).toBeLessThan(10_000)
      await subject.close()
      expect(await commanded(subject, vm, 'query-status')).toMatchObject({ status: 'running' })
      rmSync(join(disk, 'filler'))
      const later = await subject.again()
      expect(await ended(later, (driver, about) => driver.suspend(about), vm, 'fourth')).toEqual(done)
    },
  )
})
