import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { VersionOrder } from '../../../../../../domain/registry/scanning/versions/version-order.ts'
import { seeded } from '../../../../../areas/random.ts'
import { run } from '../../../../../server/programs.ts'
import { nearPairs, type VersionForm } from './version-forms.ts'

/** The folder of judges; undefined if there is none. */
export const judgesFolder = process.env['NINEFOLD_VERSION_JUDGES']

/** Returns the path of a file in the folder of judges; undefined if it is not there. */
export function judgeFile(name: string): string | undefined {
  const file = judgesFolder === undefined ? undefined : join(judgesFolder, name)
  return file !== undefined && existsSync(file) ? file : undefined
}

/** Returns the path of a program of this folder that asks a judge. */
export const askedBy = (name: string): string => join(import.meta.dirname, 'judges', name)

const pairCount = 5000

/** The time that a judge may take, in milliseconds: dpkg is started twice for each pair, on a busy machine too. */
export const judgeTimeoutMs = 600_000

/** A program that reads a pair on each line, separated by a tab, and prints -1, 0 or 1 for it. */
export interface Judge {
  readonly program: string
  readonly args: readonly string[]
}

/** Asks a judge about 5,000 pairs, which are the same in each run, and expects the same order of each. */
export async function expectJudged(order: VersionOrder, form: VersionForm, { args, program }: Judge): Promise<void> {
  const pairs = nearPairs(seeded(26), form, pairCount)
  const ended = await run(program, args, pairs.map(([a, b]) => `${a}\t${b}\n`).join(''))
  expect(ended.errors).toBe('')
  const answers = ended.output.toString().split('\n')
  const judged = pairs.map(([a, b], i) => `${a} ${b} ${answers[i]}`)
  expect(pairs.map(([a, b]) => `${a} ${b} ${Math.sign(order(a, b))}`)).toEqual(judged)
  expect(pairs.filter(([a, b]) => order(a, b) !== 0).length).toBeGreaterThan(pairCount / 2)
}

/** Returns the judge of a class of versions of the Python packages in the folder of judges. */
export const pythonJudge = (className: string): Judge => ({
  program: 'env',
  args: [`PYTHONPATH=${judgesFolder ?? ''}`, 'python3', askedBy('python.py'), className],
})
