import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostNodes, probeAccelerator } from '../../../../server/compute/qemu/accelerator.ts'
import { testFolder } from '../../store/harness.ts'
import { lacksQemu } from './lacks-qemu.ts'

/** Makes a program in place of QEMU, and a device in place of `/dev/kvm`. */
function program(script: string): { readonly command: string; readonly device: string; readonly pidFile: string } {
  const folder = testFolder()
  const [command, device, pidFile] = [join(folder, 'qemu'), join(folder, 'kvm'), join(folder, 'pid')]
  writeFileSync(command, `#!/bin/sh\necho $$ > ${pidFile}\n${script}\n`)
  chmodSync(command, 0o700)
  writeFileSync(device, '')
  return { command, device, pidFile }
}

describe('the accelerator of a host', () => {
  it.each([
    ['kvm', 'a guest prints its word', 'echo boot; exec sleep 60', 20_000],
    ['tcg', 'a guest prints nothing', 'exec sleep 60', 1500],
    ['tcg', 'QEMU fails', 'exit 1', 20_000],
  ] as const)('is %s if %s, and no process is left', async (accelerator, _, script, timeoutMs) => {
    const { command, device, pidFile } = program(script)
    expect(await probeAccelerator(command, device, timeoutMs)).toBe(accelerator)
    // On a slow host the program may have been killed before its first command.
    const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : ''
    await expect.poll(() => readdirSync('/proc').includes(pid)).toBe(false)
  })

  it.skipIf(lacksQemu)('is found by a guest that QEMU boots from the disk of the probe', async () => {
    // The guest runs under tcg in place of kvm, which hosts of tests lack.
    const script = 'exec qemu-system-x86_64 $(echo "$@" | sed s/accel=kvm/accel=tcg/)'
    const { command, device } = program(script)
    expect(await probeAccelerator(command, device, 60_000)).toBe('kvm')
  })

  it('is tcg without the device, and without a program', async () => {
    const { command, device } = program('echo boot')
    expect(await probeAccelerator(command, '/nowhere/kvm', 20_000)).toBe('tcg')
    expect(await probeAccelerator('/nowhere/qemu', device, 20_000)).toBe('tcg')
  })

  it('knows the NUMA nodes of the host', () => {
    const folder = testFolder()
    for (const name of ['node10', 'node2', 'power']) mkdirSync(join(folder, name))
    expect(hostNodes(folder)).toEqual([2, 10])
    expect(hostNodes('/nowhere')).toEqual([])
  })
})
