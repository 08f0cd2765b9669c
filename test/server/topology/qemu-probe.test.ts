import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { qemuProbe } from '../../../server/topology/qemu-probe.ts'
import { testFolder } from '../store/harness.ts'

/** Makes a program in place of QEMU; returns its path, and a function that returns the number of its runs. */
function program(script: string): { readonly command: string; readonly runs: () => number } {
  const folder = testFolder()
  const [command, log] = [join(folder, 'qemu'), join(folder, 'runs')]
  writeFileSync(command, `#!/bin/sh\necho "$1" >> ${log}\n${script}\n`)
  chmodSync(command, 0o700)
  return {
    command,
    runs: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter(line => line === '--version').length,
  }
}

const accelerator = async () => 'kvm' as const

describe('the probe of QEMU', () => {
  it('passes if the program prints its version, and reports the resources of the host', async () => {
    const { host, ...facts } = await qemuProbe({
      command: program('echo "QEMU emulator version 7.2.0"').command,
      accelerator,
    })()
    expect(facts).toEqual({ isRunning: true, message: 'guests run by kvm' })
    expect(host?.vcpus).toBeGreaterThanOrEqual(availableParallelism())
    expect(host?.memoryMib).toBeGreaterThan(64)
  })

  it.each([
    ['is absent', () => '/nowhere/qemu', 20_000, 'qemu-system-x86_64 not found'],
    ['fails', () => program('exit 7').command, 20_000, 'qemu-system-x86_64 --version failed with 7'],
    ['never ends', () => program('exec sleep 60').command, 200, 'qemu-system-x86_64 did not answer within 0.2 s'],
    [
      'prints without an end',
      () => program('exec yes').command,
      20_000,
      'qemu-system-x86_64 --version failed with ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
    ],
  ])('fails if the program %s', async (_, command, timeoutMs, message) => {
    expect(await qemuProbe({ command: command(), timeoutMs, accelerator })()).toMatchObject({
      isRunning: false,
      message,
    })
  })

  it('runs once for concurrent calls, and again later', async () => {
    const { command, runs } = program('echo "QEMU emulator version 7.2.0"')
    const probe = qemuProbe({ command, accelerator })
    await Promise.all([probe(), probe(), probe()])
    expect(runs()).toBe(1)
    await probe()
    expect(runs()).toBe(2)
  })
})
