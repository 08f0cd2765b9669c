import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { casesFolder } from './documents.ts'

/** The direction of the values in a line: requests, responses, or both if the line names no direction. */
export type Direction = 'request' | 'response' | 'any'

/** A machine-readable line: values that a component schema accepts or rejects. */
export interface Judgement {
  readonly line: string
  readonly verdict: 'accept' | 'reject'
  readonly schema: string
  readonly direction: Direction
  /** The reading under which the line holds: `formats`, `dispatch`, `lenient`, `strict`, or undefined. */
  readonly reading: string | undefined
  readonly values: readonly unknown[]
}

export interface Expectation {
  readonly judgements: readonly Judgement[]
  /** The lines that are not machine-readable, without the lines that only name peers. */
  readonly prose: readonly string[]
}

const judgementLine = /^- (Accept|Reject)(?: (request|response|formats|dispatch|lenient|strict))? `([^`]+)`: (.+)$/

/** Returns the lines of a case's `.expect.md`; the README of the cases explains each kind of line. */
export function expectationOf(name: string, folder = casesFolder): Expectation {
  const lines = readFileSync(join(folder, `${name}.expect.md`), 'utf8').split('\n')
  const told = lines.filter(line => line.startsWith('- ') && !line.startsWith('- Peers:'))
  return {
    judgements: told.flatMap(judgementOf),
    prose: told.filter(line => !judgementLine.test(line)).map(line => line.slice(2)),
  }
}

function judgementOf(line: string): readonly Judgement[] {
  const match = judgementLine.exec(line)
  if (!match) return []
  const [, verdict, qualifier, schema = '', values = ''] = match
  const isDirection = qualifier === 'request' || qualifier === 'response'
  return [
    {
      line,
      verdict: verdict === 'Accept' ? 'accept' : 'reject',
      schema,
      direction: isDirection ? qualifier : 'any',
      reading: isDirection ? undefined : qualifier,
      values: [...values.matchAll(/`([^`]+)`/g)].map(([, json = '']): unknown => JSON.parse(json)),
    },
  ]
}
