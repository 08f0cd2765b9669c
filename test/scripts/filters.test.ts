import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/project.ts'

const program = join(root, 'scripts', 'test.ts')

function run(...filters: readonly string[]): { readonly lines: readonly string[]; readonly status: number | null } {
  const { status, stdout } = spawnSync(process.execPath, [program, ...filters], { cwd: root, encoding: 'utf8' })
  return { lines: stdout.trimEnd().split('\n'), status }
}

it('with filters, only the matching files run, without further checks, and the output names them', () => {
  const { lines, status } = run('scripts/times.test', 'scripts/FOLDERS')
  const ran = lines.filter(line => line.startsWith('ran '))
  expect(ran).toEqual([
    expect.stringMatching(/^ran test\/scripts\/folders\.test\.ts on sqlite: \d+ tests$/),
    'ran test/scripts/times.test.ts on sqlite: 3 tests',
  ])
  expect(lines.filter(line => /^(?:passed|FAILED) /.test(line))).toHaveLength(1)
  expect(lines).toContainEqual(expect.stringMatching(/^sqlite +2 +\d+ /))
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, 0 skipped$/)
  expect(status).toBe(0)
})

it.each([
  ['a filter that fits no file', ['scripts/times.test', 'nowhere'], 'no test file has "nowhere" in its path'],
  ['an option', ['scripts/times.test', '--retry=3'], 'no option such as "--retry=3"'],
])('fails at %s before any test runs', (_, filters, told) => {
  const { lines, status } = run(...filters)
  expect(lines.join('\n')).toContain(told)
  expect(lines.filter(line => line.startsWith('ran '))).toEqual([])
  expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped')
  expect(status).toBe(1)
})
