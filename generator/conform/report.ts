/** What a finding is about: the five things that are proved, and whether they could be. */
export type Proof = 'example' | 'routed' | 'refused' | 'door' | 'answer' | 'method'

/** One disagreement between a document and its server. */
export interface Finding {
  readonly operationId: string
  readonly proof: Proof
  /** What was tried: `limit: below its minimum`. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** How far one operation was walked. */
export interface Walked {
  readonly operationId: string
  readonly requests: number
  /** Requests that the limit left out. */
  readonly omitted: number
}

export interface Report {
  /** By operation, in the order of the document. */
  readonly findings: readonly Finding[]
  readonly walked: readonly Walked[]
}

/** The report for people: a line a finding, then the counts. */
export function printReport({ findings, walked }: Report): string {
  const lines = findings.map(
    ({ operationId, proof, what, expected, got }) =>
      `${operationId} ${proof}: ${cut(what)}: expected ${cut(expected)}, got ${cut(got)}`,
  )
  const requests = sum(walked.map(each => each.requests))
  const omitted = sum(walked.map(each => each.omitted))
  const counts = [
    counted(findings.length, 'finding'),
    counted(walked.length, 'operation'),
    counted(requests, 'request'),
    ...(omitted > 0 ? [`${omitted} left out by the limit`] : []),
  ]
  return [...lines, counts.join(', ')].join('\n')
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Servers and documents may say anything: one line, no control characters, of bearable length. */
function cut(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  return plain.length > 300 ? `${plain.slice(0, 297)}...` : plain
}
