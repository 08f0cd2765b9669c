import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root } from '../../scripts/project.ts'

let folder = ''

/** A stand-in for npm: it records its run, takes some time, and installs one package as the lock file requires. */
const npm = `
const { appendFileSync, copyFileSync, mkdirSync, existsSync } = require('node:fs')
appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n')
if (existsSync('broken')) {
  console.error('no network')
  process.exit(7)
}
setTimeout(() => {
  mkdirSync('node_modules', { recursive: true })
  copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
}, 300)
`

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ninefold-setup-'))
  mkdirSync(join(folder, 'scripts'))
  copyFileSync(join(root, 'scripts', 'setup.mjs'), join(folder, 'scripts', 'setup.mjs'))
  writeFileSync(join(folder, 'npm.js'), npm)
  lock('1.0.0')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function lock(version: string): void {
  const packages = { '': {}, 'node_modules/yaml': { version, integrity: `sha512-${version}` } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
}

async function setup(): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [join(folder, 'scripts', 'setup.mjs')], {
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      npm_execpath: join(folder, 'npm.js'),
      npm_node_execpath: process.execPath,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const status = new Promise<number | null>(resolve => child.on('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { status: await status, output: out + err }
}

const runs = (): number =>
  existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n').length : 0

it('installs once, and prints nothing while the lock file is unchanged', async () => {
  expect(await setup()).toMatchObject({ status: 0, output: expect.stringContaining('npm ci') })
  expect(await setup()).toEqual({ status: 0, output: '' })
  expect(runs()).toBe(1)
})

it('installs again when the lock file changed', async () => {
  await setup()
  lock('1.0.1')
  expect(await setup()).toMatchObject({ status: 0 })
  expect(runs()).toBe(2)
})

it('accepts an installation by hand', async () => {
  mkdirSync(join(folder, 'node_modules'))
  copyFileSync(join(folder, 'package-lock.json'), join(folder, 'node_modules', '.package-lock.json'))
  expect(await setup()).toEqual({ status: 0, output: '' })
  expect(runs()).toBe(0)
})

it('installs once if several processes start concurrently', async () => {
  const results = await Promise.all([setup(), setup(), setup()])
  expect(results.map(({ status }) => status)).toEqual([0, 0, 0])
  expect(runs()).toBe(1)
})

it('takes over the lock of a dead process', async () => {
  const stale = join(folder, '.cache', 'setup.lock')
  mkdirSync(stale, { recursive: true })
  const dead = spawn(process.execPath, ['--eval', '0'])
  await new Promise(resolve => dead.on('close', resolve))
  writeFileSync(join(stale, 'owner'), `${dead.pid} ${hostname()}`)
  expect(await setup()).toMatchObject({ status: 0 })
  expect(runs()).toBe(1)
  expect(existsSync(stale)).toBe(false)
})

it('prints the output of npm if it fails, and retries the next time', async () => {
  writeFileSync(join(folder, 'broken'), '')
  const { status, output } = await setup()
  expect(status).toBe(1)
  expect(output).toContain('no network')
  expect(output).toMatch(/setup: npm ci failed \(exit status 7\)/)
  rmSync(join(folder, 'broken'))
  expect(await setup()).toMatchObject({ status: 0 })
})

it('does not install into the folder behind a link', async () => {
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  symlinkSync(shared, join(folder, 'node_modules'), 'junction')
  const { status, output } = await setup()
  expect([status, runs()]).toEqual([1, 0])
  expect(output).toMatch(/setup: node_modules is a link to a folder with other packages; delete the link/)
})

it('names the lock file when it is missing', async () => {
  rmSync(join(folder, 'package-lock.json'))
  expect(await setup()).toEqual({
    status: 1,
    output: 'setup: package-lock.json is missing; restore it from the repository\n',
  })
})
