import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/project.ts'
import { writeManyFiles } from '../generator/packages/sources.ts'
import { madeDocument } from './measuring/made-document.ts'
import { medianOf, type ProcessCost, processCost } from './measuring/process-cost.ts'

/**
 * This program prints how the costs of `generate` grow with the number of operations: over a document of OpenAPI 3.0, a
 * document of 3.1, and a document of two files an operation. A slope is the cost of a further operation. The ratio of the
 * slopes of large and small documents is 1 for a linear cost and 4 for a quadratic one. Here it was 0.3 to 0.8, because
 * the first operations also pay for compiled code and for the first growth of the heap. With the limit of 1, a further
 * operation of a large document costs no more than one of a small document; a quadratic part exceeds the limit when it is
 * about a quarter of the cost of the largest document.
 */

const sizes = [250, 500, 1000, 2000, 4000]
const rounds = 3
const limit = 1

const kinds: Readonly<Record<string, (folder: string, operations: number) => string>> = {
  'OpenAPI 3.0': (folder, operations) => written(folder, madeDocument(operations)),
  'OpenAPI 3.1': (folder, operations) => written(folder, madeDocument(operations, '3.1.0')),
  'two files an operation': writeManyFiles,
}

function written(folder: string, text: string): string {
  writeFileSync(join(folder, 'openapi.yaml'), text)
  return 'openapi.yaml'
}

const folder = mkdtempSync(join(tmpdir(), 'ninefold-growth-'))
try {
  for (const [kind, write] of Object.entries(kinds)) printGrowth(kind, write)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function printGrowth(kind: string, write: (folder: string, operations: number) => string): void {
  console.log(`\n${kind.padEnd(28)}         CPU      memory`)
  const costs = sizes.map(operations => {
    const cwd = join(folder, `${kind}-${operations}`)
    mkdirSync(cwd)
    const args = [join(root, 'scripts/ninefold.mjs'), 'generate', write(cwd, operations), '--out', 'out']
    const cost = medianOf(Array.from({ length: rounds }, () => processCost(args, { cwd, env: { CI: 'true' } })))
    console.log(`  ${`${operations} operations`.padEnd(26)}${cells(cost)}`)
    return cost
  })
  print(
    'CPU time',
    costs.map(({ cpuSeconds }) => cpuSeconds),
  )
  print(
    'memory',
    costs.map(({ memoryMib }) => memoryMib),
  )
}

function cells({ cpuSeconds, memoryMib }: ProcessCost): string {
  return `${cpuSeconds.toFixed(2)} s`.padStart(12) + `${memoryMib.toFixed(0)} MiB`.padStart(12)
}

/** Prints the ratio of the slope of the larger half of the sizes to the slope of the smaller half, with its limit. */
function print(name: string, costs: readonly number[]): void {
  const middle = (sizes.length - 1) / 2
  const slope = (from: number, to: number): number =>
    ((costs[to] ?? Number.NaN) - (costs[from] ?? Number.NaN)) / ((sizes[to] ?? 0) - (sizes[from] ?? 0))
  const ratio = slope(middle, sizes.length - 1) / slope(0, middle)
  const verdict = ratio > limit ? ' OVER THE LIMIT' : ''
  console.log(`  slopes of ${name}, large to small: ${ratio.toFixed(2)} (limit ${limit})${verdict}`)
  if (ratio > limit) process.exitCode = 1
}
