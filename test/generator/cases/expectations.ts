import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { casesFolder } from './documents.ts'

/** Which way a value travels that a line judges: as a request, as an answer, or either where the line does not say. */
export type Direction = 'request' | 'response' | 'any'

/** A machine-readable line: values that a component schema accepts or rejects. */
export interface Judgement {
  readonly line: string
  readonly verdict: 'accept' | 'reject'
  readonly schema: string
  readonly direction: Direction
  /** `formats`, `dispatch`, `lenient`, `strict`: under which reading the line holds. */
  readonly reading: string | undefined
  readonly values: readonly unknown[]
}

export interface Expectation {
  readonly judgements: readonly Judgement[]
  /** The other lines, without those that only name peers. */
  readonly prose: readonly string[]
}

const judgementLine = /^- (Accept|Reject)(?: (request|response|formats|dispatch|lenient|strict))? `([^`]+)`: (.+)$/

/** The lines of a case's `.expect.md`; its README explains each kind. */
export function expectationOf(name: string): Expectation {
  const lines = readFileSync(join(casesFolder, `${name}.expect.md`), 'utf8').split('\n')
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
