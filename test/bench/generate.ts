import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { generateArguments, root, toolFile } from '../../scripts/project.ts'
import { madeDocument } from './measuring/made-document.ts'
import { medianCost, medianOf, type Place, type ProcessCost, processCost } from './measuring/process-cost.ts'

/**
 * This program prints the costs of `generate` processes, each with its limit if it has one: over copies of the
 * documents in `specs/`, with and without a cache; over generated documents of two sizes; and over the document on the
 * command line. Then the program prints the time of TypeScript's check of the output. `npm run bench generate DOCUMENT
 * CHECKOUT` prints only the costs of the document here and in another checkout of this repository with installed
 * packages, alternately and as a ratio.
 */

const rounds = 5
const memoryLimit = 400
const nameWidth = 30
const cellWidth = 26
const [given, other] = process.argv.slice(3)

const folder = mkdtempSync(join(tmpdir(), 'ninefold-bench-'))
try {
  if (given !== undefined && other !== undefined) printBeside(given, other)
  else printAll()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function printAll(): void {
  printEmpty()
  printSpecs()
  printMade()
  printTypeCheck()
  if (given !== undefined) printGiven(given)
}

function printEmpty(): void {
  heading('Node.js')
  const place = { cwd: folder }
  print(
    'an empty process',
    medianCost(rounds, () => processCost(['--eval', '0'], place)),
  )
}

function printSpecs(): void {
  const cwd = join(folder, 'specs-of-nine')
  for (const name of ['specs', 'output', 'runtime']) cpSync(join(root, name), join(cwd, name), { recursive: true })
  // Runs keep their cache below `node_modules`.
  mkdirSync(join(cwd, 'node_modules'))
  const [command = '', ...words] = generateArguments()
  const args = [join(root, command), ...words]
  const bare = { cwd, env: { CI: 'true' } }
  const remembering = { cwd, env: { CI: '' } }

  heading('the documents in specs/')
  print(
    'cold',
    medianCost(rounds, () => processCost(args, bare)),
    { cpu: 3, memory: memoryLimit },
  )
  print(
    'cold, --check',
    medianCost(rounds, () => processCost([...args, '--check'], bare)),
    { cpu: 3, memory: memoryLimit },
  )
  // This run fills the cache of runs and the compile cache for the measured runs.
  processCost(args, remembering)
  print(
    'unchanged, --check',
    medianCost(rounds, () => processCost([...args, '--check'], remembering)),
    { cpu: 0.3, memory: memoryLimit },
  )
  print(
    'unchanged',
    medianCost(rounds, () => processCost(args, remembering)),
    { memory: memoryLimit },
  )
  for (const spec of readdirSync(join(cwd, 'specs')).filter(name => name.endsWith('.yaml'))) {
    const file = join(cwd, 'specs', spec)
    const cost = medianCost(
      3,
      () => processCost(args, remembering),
      round => touch(file, round),
    )
    // All documents refer to common.yaml, so a change of this document regenerates all of them.
    print(`${spec} touched`, cost, { cpu: spec === 'common.yaml' ? 3 : 1.2, memory: memoryLimit })
  }
}

/** Changes every `maxLength` in a document, to another value in each round. */
function touch(file: string, round: number): void {
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(/(?<=maxLength: )\d+/, String(60 + round))
  writeFileSync(file, changed === text ? text.replace(/(?<=maxLength: )\d+/, String(70 + round)) : changed)
}

function printMade(): void {
  const place = { cwd: folder, env: { CI: 'true' } }
  const costOf = (operations: number): ProcessCost => {
    const file = `made-${operations}.yaml`
    writeFileSync(join(folder, file), madeDocument(operations))
    return medianCost(3, () => processCost(generating(file, `made-${operations}`), place))
  }
  heading('a made document')
  const few = costOf(500)
  print('of 500 operations', few, { memory: memoryLimit })
  const many = costOf(5000)
  print('of 5,000 operations', many)
  const cells = [
    cell(many.wallSeconds / few.wallSeconds, 'x'),
    cell(many.cpuSeconds / few.cpuSeconds, 'x', 11),
    cell(many.memoryMib / few.memoryMib, 'x', 11),
  ]
  console.log(`  ${'ten times the operations'.padEnd(nameWidth)}${cells.join('')}`)
}

function generating(file: string, out: string, checkout: string = root): string[] {
  return [join(checkout, 'scripts/ninefold.mjs'), 'generate', file, '--out', out]
}

function printTypeCheck(): void {
  const project = join(folder, 'tsconfig.json')
  const include = ['output', 'runtime'].map(name => join(root, name))
  const compilerOptions = { types: [] }
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include }))
  heading('type check of the whole output')
  const { cpuSeconds, wallSeconds } = medianCost(rounds, () =>
    processCost([toolFile('typescript', 'tsc'), '-p', project], { cwd: folder }),
  )
  print('tsc', { cpuSeconds, wallSeconds, memoryMib: undefined }, { cpu: 3 })
}

function printGiven(document: string): void {
  if (!existsSync(document)) throw new Error(`${document} does not exist`)
  heading('as given')
  const place: Place = { cwd: process.cwd(), env: { CI: 'true' } }
  print(
    basename(document),
    medianCost(rounds, () => processCost(generating(document, join(folder, 'given')), place)),
  )
}

/**
 * Prints the medians of the costs in this and in another checkout, and their ratio. The runs of both checkouts
 * alternate, so that other work of the machine affects both.
 */
function printBeside(document: string, checkout: string): void {
  if (!existsSync(document)) throw new Error(`${document} does not exist`)
  const place: Place = { cwd: process.cwd(), env: { CI: 'true' } }
  const cost = (of: string, out: string): ProcessCost => processCost(generating(document, join(folder, out), of), place)
  const pairs = Array.from({ length: 7 }, () => [cost(root, 'here'), cost(resolve(checkout), 'there')] as const)
  const here = medianOf(pairs.map(([mine]) => mine))
  const there = medianOf(pairs.map(([, theirs]) => theirs))
  heading(basename(document))
  print('here', here)
  print(checkout, there)
  const cells = [
    cell(here.wallSeconds / there.wallSeconds, 'x'),
    cell(here.cpuSeconds / there.cpuSeconds, 'x', 1.1),
    cell(here.memoryMib / there.memoryMib, 'x', 1.1),
  ]
  console.log(`  ${'ratio'.padEnd(nameWidth)}${cells.join('')}`)
}

interface Limits {
  readonly cpu?: number
  readonly memory?: number
}

function heading(title: string): void {
  const columns = ['wall', 'CPU', 'memory'].map(name => name.padStart(cellWidth))
  console.log(`\n${title.padEnd(nameWidth + 2)}${columns.join('')}`)
}

/** Prints a row of figures, each with its share of the limit: `1.10 s (0.92 of 1.2)`. */
function print(name: string, cost: Partial<Record<keyof ProcessCost, number | undefined>>, limits: Limits = {}): void {
  const cells = [
    cell(cost.wallSeconds, 's'),
    cell(cost.cpuSeconds, 's', limits.cpu),
    cell(cost.memoryMib, 'MiB', limits.memory),
  ]
  console.log(`  ${name.padEnd(nameWidth)}${cells.join('')}`)
}

function cell(value: number | undefined, unit: string, limit?: number): string {
  if (value === undefined) return '-'.padStart(cellWidth)
  const digits = unit === 'MiB' ? 0 : 2
  const part = limit === undefined ? '' : ` (${(value / limit).toFixed(2)} of ${limit})`
  return `${value.toFixed(digits)} ${unit}${part}`.padStart(cellWidth)
}
