import type { Document, NamedSchema, Operation } from '../model/types.ts'
import type { RequestSender } from './call.ts'
import type { Draft } from './draft.ts'
import { Examples } from './example.ts'
import { faultsOf } from './judge.ts'
import { isJson } from './json.ts'
import { type Budget, Probe } from './probe.ts'
import { proveDoors } from './proofs/doors.ts'
import { proveLists } from './proofs/lists.ts'
import { proveMasks } from './proofs/masks.ts'
import { proveMethods } from './proofs/methods.ts'
import { proveRefused } from './proofs/refused.ts'
import { proveRouted } from './proofs/routed.ts'
import type { Difference, ConformanceReport, Walked } from './report.ts'
import { type ConformOptions, type Subject, validDraft } from './subject.ts'

type Prove = (subject: Subject, probe: Probe, draft: Draft) => Promise<void>

/** The proofs of each operation, in the order of their execution. */
const proofs: readonly Prove[] = [proveRouted, proveDoors, proveMethods, proveRefused, proveMasks, proveLists]

const defaultLimit = 200
const defaultTotal = 20_000

/**
 * Proves that a server implements a document. Each operation must be routed and accept valid requests, refuse each
 * broken constraint at its field, refuse requests without a token unless the operation is open, respond as declared,
 * and have no undeclared methods. The requests are the same in each run. The requests create the resources of the
 * examples, and change the resources of `options.existing`.
 */
export async function conform(
  document: Document,
  schemas: ReadonlyMap<string, NamedSchema>,
  call: RequestSender,
  options: ConformOptions = {},
): Promise<ConformanceReport> {
  const findings: Difference[] = []
  const walked: Walked[] = []
  const budget: Budget = { left: options.total ?? defaultTotal }
  const isStrict = document.errors.length > 0 || options.platform === true
  for (const operation of document.operations) {
    if (options.operations && !options.operations.includes(operation.id)) continue
    const subject = { document, operation, examples: new Examples(schemas), options, call, isStrict }
    const probe = new Probe(subject, options.limit ?? defaultLimit, budget)
    await walk(subject, probe)
    findings.push(...probe.findings)
    walked.push({ operationId: operation.id, requests: probe.requests, omitted: probe.omitted })
  }
  return { findings, walked }
}

async function walk(subject: Subject, probe: Probe): Promise<void> {
  judgeExamples(subject, probe)
  const draft = validDraft(subject)
  for (const prove of draft ? proofs : []) if (draft) await prove(subject, probe, draft)
  for (const note of subject.examples.missing) probe.find('example', note, 'an example', 'none')
}

/** Reports examples in an operation of the document that do not fit their schemas. */
function judgeExamples({ examples: { schemas }, operation }: Subject, probe: Probe): void {
  for (const [name, example, schema, view] of examplesOf(operation)) {
    if (example === undefined) continue
    const [fault] = isJson(example) ? faultsOf(example, schema, { schemas, view }) : [{ field: '', what: 'is no JSON' }]
    if (fault)
      probe.find(
        'example',
        `the example of ${name}`,
        'a value that fits its schema',
        `${fault.field} ${fault.what}`.trim(),
      )
  }
}

function examplesOf({ body, parameters, successes }: Operation) {
  const answers = successes.flatMap(({ content, status }) => (content ? [{ content, name: `answer ${status}` }] : []))
  return [
    ...parameters.map(({ example, name, schema }) => [name, example, schema, 'input'] as const),
    ...(body ? [['the body', body.content.example, body.content.schema, body.view] as const] : []),
    ...answers.map(({ content, name }) => [name, content.example, content.schema, 'output'] as const),
  ]
}
