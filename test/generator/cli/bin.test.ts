import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './command-line.ts'

const ninefold = (...words: readonly string[]): string =>
  spawnSync(process.execPath, [join(repository, 'ninefold.ts'), ...words], { encoding: 'utf8' }).stdout

test('ninefold prints its version', () => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  expect(ninefold('--version')).toBe(`${version}\n`)
})

test('ninefold lists generate and serve', () => {
  expect(ninefold('--help')).toMatch(/generate \[options\] <documents\.\.\.>[^]*serve/)
})

test('ninefold serve passes its options to the server', () => {
  expect(ninefold('serve', '--help')).toContain('--config <file>')
})
