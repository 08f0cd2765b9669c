import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programOutput, ProgramFault } from '../../../server/vault/program-output.ts'
import { testFolder } from '../store/harness.ts'

/** Writes a program in the language of the shell, and returns its path. */
function programOf(lines: string): string {
  const path = join(testFolder(), 'program')
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o700)
  return path
}

const run = (path: string, maxMs = 30_000): Promise<Buffer> => programOutput(path, { maxBytes: 100, maxMs })

describe('the output of a program', () => {
  it.each([
    ['prints at once', 'printf abc'],
    ['prints in parts', 'printf a; sleep 0.05; printf bc'],
    ['writes much to standard error', 'head -c 5000 /dev/zero >&2; printf abc'],
    ['leaves a process behind that holds the output open', 'sleep 20 & printf abc'],
  ])('is read if the program %s', async (_, lines) => {
    expect((await run(programOf(lines))).toString()).toBe('abc')
  })

  it.each<readonly [string, () => string, string]>([
    ['fails', () => programOf('printf half; exit 3'), 'it ended with status 3'],
    ['is killed', () => programOf('printf half; kill -9 $$'), 'it was ended by SIGKILL'],
    ['prints too much', () => programOf('head -c 5000 /dev/zero'), 'it printed more than 100 bytes'],
    ['prints without an end', () => programOf('yes half'), 'it printed more than 100 bytes'],
    ['is absent', () => join(testFolder(), 'absent'), 'it cannot be started (ENOENT)'],
    ['is a folder', () => testFolder(), 'it cannot be started (EACCES)'],
  ])('is refused if the program %s', async (_, path, message) => {
    await expect(run(path())).rejects.toThrow(new ProgramFault(message))
  })

  it.each([
    ['hangs', 'sleep 20'],
    ['ignores all signals that can be ignored', "trap '' TERM INT HUP; printf half; while :; do sleep 1; done"],
  ])('is refused at the time limit if the program %s', async (_, lines) => {
    await expect(run(programOf(lines), 200)).rejects.toThrow(new ProgramFault('it did not end within 0.2 s'))
  })
})
