import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { command, ended, type Ended } from '../backup/harness.ts'
import { testFolder } from '../store/harness.ts'

/** Runs a command with a file of settings, in a folder without a store; returns the exit code and the output. */
function withSettings(settings: object, words: readonly string[]): Promise<Ended> {
  const folder = testFolder()
  const file = join(folder, 'settings.json')
  writeFileSync(file, JSON.stringify(settings))
  return ended(command(join(folder, 'data'), [...words, '--config', file]))
}

it('a server does not start with faulty settings of an area, and reports all faults', async () => {
  const settings = { iam: { throttle: { email: -1, network: 'x' } } }
  const { code, said } = await withSettings(settings, ['serve'])
  expect(code).toBe(1)
  expect(said).toMatch(/^ninefold: \S*settings\.json: iam\.throttle\.email must be a number, 0 for no bound\n/)
  expect(said).toMatch(/\n\S*settings\.json: iam\.throttle\.network must be a number, 0 for no bound\n$/)
})

it.each([
  ['doctor'],
  ['backup', '--to', 'backup'],
  ['iam', 'bootstrap', '--email', 'kim@example.com'],
  ['iam', 'service-accounts', 'remove-key', '--id', 'a', '--key-id', 'b'],
])('ninefold %s knows the settings of areas, whatever their values are', async (...words) => {
  const { said } = await withSettings({ 'iam.throttle.email': -1 }, words)
  expect(said).toMatch(/\S*data\b.*(?:no store|does not exist|"ninefold serve")/)
  expect(said).not.toContain('setting')
})
