import { execFileSync } from 'node:child_process'

/** The programs that a host of the driver QEMU needs. */
const programs = [
  ['qemu-system-x86_64', '--version'],
  ['qemu-img', '--version'],
  ['xorriso', '-version'],
] as const

const missing = programs.flatMap(([program, word]) => {
  try {
    execFileSync(program, [word], { stdio: 'ignore' })
    return []
  } catch {
    return [program]
  }
})

/** Whether this host lacks a program, so that tests with guests are skipped. */
export const lacksQemu = missing.length > 0

if (lacksQemu) console.warn(`tests with guests of QEMU are skipped: this host lacks ${missing.join(', ')}`)
