import { describe, expect, test } from 'vitest'
import { generation } from '../generation.ts'
import { caseNames, caseRuns, casesFolder } from './documents.ts'
import { expectationOf } from './expectations.ts'
import { called, type Proof, type Runs, served } from './proof.ts'
import { prose } from './prose.ts'

interface Line {
  readonly name: string
  readonly line: string
  readonly proofs: readonly Proof[]
}

const lines: readonly Line[] = caseNames.flatMap(name =>
  expectationOf(name).prose.map(line => ({ name, line, proofs: proofsOf(name, line) })),
)

/**
 * Returns the proofs of a line from the table. A line without an entry that begins with Server or Client is proved by
 * running code.
 */
function proofsOf(name: string, line: string): readonly Proof[] {
  const found = Object.entries(prose[name] ?? {}).filter(([start]) => line.startsWith(start))
  if (found.length > 0) return found.map(([, proof]) => proof)
  if (line.startsWith('Server')) return [served]
  return line.startsWith('Client') ? [called] : []
}

async function runsOf(name: string): Promise<Runs> {
  const runs = await Promise.all(
    caseRuns
      .filter(({ expectation }) => expectation === name)
      .map(async run => [run.name, await generation(run.files, casesFolder)] as const),
  )
  const first = runs[0]?.[1]
  if (!first) throw new Error(`${name} has no document`)
  return { first, all: new Map(runs) }
}

const titled = lines.map(({ name, line, proofs }) => ({ name, title: line.slice(0, 100), proof: proofs[0] }))

describe('lines of the expectations in words', () => {
  test('each has exactly one entry', () => {
    expect(lines.filter(({ proofs }) => proofs.length !== 1).map(({ name, line }) => `${name}: ${line}`)).toEqual([])
  })

  test('each entry belongs to a line', () => {
    const entries = Object.entries(prose).flatMap(([name, starts]) =>
      Object.keys(starts).map(start => ({ name, start })),
    )
    const known = ({ name, start }: { name: string; start: string }): boolean =>
      lines.some(line => line.name === name && line.line.startsWith(start))
    expect(entries.filter(entry => !known(entry))).toEqual([])
  })

  test.each(titled.filter(({ proof }) => proof?.kind === 'shown'))('$name: $title', async ({ name, proof }) => {
    if (proof?.kind === 'shown') await proof.show(await runsOf(name))
  })

  test.each(titled.filter(({ proof }) => proof?.kind === 'later'))(
    'not yet: $name: $title',
    async ({ name, proof }) => {
      if (proof?.kind === 'later') expect(proof.arrived(await runsOf(name))).toBe(false)
    },
  )
})
