import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/project.ts'

const program = join(root, 'scripts', 'ninefold.mjs')

function folderWith(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, name))
  return folder
}

/** Runs the command without a folder for the compile cache in its environment; returns the standard output. */
function run(cwd: string, CI: string): string {
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined, CI }
  return spawnSync(process.execPath, [program, '--help'], { cwd, encoding: 'utf8', env }).stdout
}

test.each([
  ['keeps the compile cache of Node.js in node_modules', 'node_modules', '', true],
  ['keeps nothing in CI', 'node_modules', 'true', false],
  ['keeps nothing without node_modules', 'specs', '', false],
])('the program %s', (_, folder, CI, isKept) => {
  const cwd = folderWith(folder)
  expect(run(cwd, CI)).toContain('generate [options] <documents...>')
  expect(existsSync(join(cwd, 'node_modules/.cache/ninefold/modules'))).toBe(isKept)
})
