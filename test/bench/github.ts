import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root, toolFile } from '../../scripts/project.ts'
import { medianOf, type ProcessCost, processCost } from './measuring/process-cost.ts'
import { median } from './measuring/rounds.ts'

/**
 * This program prints the costs of generating GitHub's document without any cache, by the package as it is published and
 * by that of oazapfts, both compiled to JavaScript, alternately, with the ratio of their CPU times and its limit. The CPU
 * time is that of all threads and processes of a run; the ratio is the median of the ratios of the rounds, because the
 * speed of a shared machine changes between rounds. `NINEFOLD_PEER` names a folder into which the program installs both
 * packages once; without it, the program does nothing.
 */

const packages = ['oazapfts@7.5.0', '@octokit/openapi@23.0.2']
const rounds = 7
const limit = 1.1
const given = process.env['NINEFOLD_PEER'] ?? ''

if (given === '') console.warn('SKIPPED: the comparison with oazapfts; set NINEFOLD_PEER to a folder for its package')
else compare(installed(resolve(given)))

/** Installs the packages into a folder unless they are there; returns the folder of the packages. */
function installed(folder: string): string {
  const modules = join(folder, 'node_modules')
  if (packages.every(name => existsSync(join(modules, name.replace(/@[\d.]+$/, ''))))) return modules
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    timeout: 300_000,
  })
  return modules
}

/** Compiles the package into a folder, as it is published; returns its program. */
function compiled(folder: string): string {
  const out = join(folder, 'package')
  execFileSync(
    process.execPath,
    [toolFile('typescript', 'tsc'), '-p', 'tsconfig.build.json', '--outDir', join(out, 'dist')],
    {
      cwd: root,
    },
  )
  cpSync(join(root, 'templates'), join(out, 'dist/templates'), { recursive: true })
  for (const name of ['package.json', 'runtime']) cpSync(join(root, name), join(out, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'))
  return join(out, 'dist/ninefold.js')
}

function compare(modules: string): void {
  const document = join(modules, '@octokit/openapi/generated/api.github.com.json')
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-github-'))
  const place = { cwd: folder, env: { CI: 'true', NODE_DISABLE_COMPILE_CACHE: '1' } }
  const mine = [compiled(folder), 'generate', document, '--out', 'mine', '--name', `${document}=github`]
  const theirs = [join(modules, 'oazapfts/dist/cli.js'), document, 'theirs.ts']
  try {
    const pairs = Array.from({ length: rounds }, () => {
      rmSync(join(folder, 'mine'), { recursive: true, force: true })
      return [processCost(mine, place), processCost(theirs, place)] as const
    })
    const [here, there] = [medianOf(pairs.map(([own]) => own)), medianOf(pairs.map(([, other]) => other))]
    console.log('GitHub, without a cache            CPU        wall      memory')
    print('here', here)
    print('oazapfts', there)
    const ratio = median(pairs.map(([own, other]) => own.cpuSeconds / other.cpuSeconds))
    console.log(
      `  ratio of CPU times          ${ratio.toFixed(2)} (limit ${limit})${ratio > limit ? ' OVER THE LIMIT' : ''}`,
    )
    if (ratio > limit) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function print(name: string, { cpuSeconds, memoryMib, wallSeconds }: ProcessCost): void {
  const cells = [`${cpuSeconds.toFixed(2)} s`, `${wallSeconds.toFixed(2)} s`, `${memoryMib.toFixed(0)} MiB`]
  console.log(`  ${name.padEnd(22)}${cells.map(cell => cell.padStart(12)).join('')}`)
}
