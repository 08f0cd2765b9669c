/**
 * The kind of a finding. `example`: an example is missing or does not fit. `routed`: a valid request is not accepted.
 * `refused`: a broken request is not refused as expected. `door`: a request without a valid token has the wrong
 * response. `answer`: no response arrives, or a response differs from its declaration. `method`: an undeclared method
 * or HEAD has the wrong response.
 */
export type Proof = 'example' | 'routed' | 'refused' | 'door' | 'answer' | 'method'

/** A difference between a document and its server. */
export interface Difference {
  readonly operationId: string
  readonly proof: Proof
  /** The tested case, such as `limit: below its minimum`. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** The numbers of sent and omitted requests for one operation. */
export interface Walked {
  readonly operationId: string
  readonly requests: number
  /** The number of requests that the limit prevented. */
  readonly omitted: number
}

/** The result of testing a server against a document. */
export interface ConformanceReport {
  /** The findings in the order of the document's operations. */
  readonly findings: readonly Difference[]
  readonly walked: readonly Walked[]
}

/** Formats a report: a line for each finding, then the counts. */
export function printConformance({ findings, walked }: ConformanceReport): string {
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

/**
 * Makes a text safe to print, because servers and documents may be hostile: on one line, without control characters, of
 * at most 300 characters.
 */
function cut(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  return plain.length > 300 ? `${plain.slice(0, 297)}...` : plain
}
