import { type DiagnosticList, messages } from '../diagnostics.ts'
import { onCycles } from './cycles.ts'
import { schemasOf } from './exact-answers.ts'
import { judgeExploded, judgeForm } from './exploded.ts'
import { judgeEncodings } from './form-schemas.ts'
import { mayOverlap } from './overlap.ts'
import { type Index, isDeep, isTextual, resolved, shaped } from './textual.ts'
import { isLine, type Operation, type Property, type Schema } from './types.ts'
import type { Unviewed } from './views.ts'
import { aliasesOf, conditionalBranches, within } from './walk.ts'

/**
 * Reports schemas that are valid OpenAPI but cannot work as written: schemas that consist of themselves, closed
 * branches that refuse a required member, `oneOf` alternatives that overlap, parameters that text cannot represent, too many evaluated schemas, and
 * encodings of unknown members. If a schema consists of itself, no other faults are reported.
 */
export function judge(
  schemas: readonly Unviewed[],
  operations: readonly Operation[],
  diagnostics: DiagnosticList,
): void {
  const byId = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const circular = onCycles(new Map(schemas.map(({ id, schema }) => [id, aliasesOf(schema)])))
  for (const { id, name, schema } of schemas) {
    if (circular.has(id)) diagnostics.add(messages.schemaCycle(name), schema.position)
  }
  if (circular.size > 0) return
  for (const root of [...schemas.map(({ schema }) => schema), ...operations.flatMap(schemasOf)]) {
    for (const part of within(root)) {
      if (part.kind === 'intersection') judgeBranches(part.of, byId, diagnostics)
      if (part.kind === 'unevaluated') judgeUnevaluated(part, byId, diagnostics)
      if (part.kind === 'union' && part.exactlyOne && !part.discriminator) judgeForms(part, byId, diagnostics)
    }
  }
  for (const { body, failures, parameters, successes } of operations) {
    for (const content of body?.contents ?? []) if (content.kind === 'form') judgeForm(content, byId, diagnostics)
    for (const { schema, style, position } of parameters) {
      if (style !== 'json' && !(style === 'deepObject' ? isDeep(schema, byId, 0) : isTextual(schema, byId)))
        diagnostics.add(messages.parameterShape(), position)
    }
    judgeExploded(parameters, byId, diagnostics)
    for (const { isJson, schema } of [...successes, ...failures].flatMap(({ headers }) => headers)) {
      if (!isJson && !isLine(schema, each => shaped(each, byId)))
        diagnostics.add(messages.headerShape(), schema.position)
    }
  }
  judgeEncodings(operations, byId, diagnostics)
}

/** The maximal number of schemas that decide which members or items of a value are evaluated. */
const maxEvaluated = 1000

/** Reports an unevaluated keyword beside more schemas than its generated check may hold. References count each time. */
function judgeUnevaluated(
  { beside, position }: Extract<Schema, { kind: 'unevaluated' }>,
  byId: Index,
  diagnostics: DiagnosticList,
): void {
  const pending = [...beside]
  for (let count = 0; pending.length > 0; count++) {
    if (count > maxEvaluated) return diagnostics.add(messages.unevaluatedTooLarge(maxEvaluated), position)
    const next = pending.pop()
    const target = next?.kind === 'ref' ? byId.get(next.target) : undefined
    if (target) pending.push(target)
    else if (next?.kind === 'union' || next?.kind === 'intersection') pending.push(...next.of)
    else if (next?.kind === 'conditional') pending.push(next.if, ...conditionalBranches(next))
    else if (next?.kind === 'dependent') pending.push(next.of)
  }
}

/** Reports a member that one branch requires and a closed branch refuses. No value fits both branches. */
function judgeBranches(of: readonly Schema[], byId: Index, diagnostics: DiagnosticList): void {
  const objects = of.map(branch => resolved(branch, byId)).filter(branch => branch.kind === 'object')
  const closed = objects.filter(({ additional }) => additional === false)
  for (const { properties } of closed) {
    const listed = new Set(properties.map(({ name }) => name))
    for (const other of objects) {
      const refused = other.properties.find(({ name, required }: Property) => required && !listed.has(name))
      if (refused) diagnostics.add(messages.branchUnmeetable(refused.name), other.position)
    }
  }
}

/**
 * The maximal number of a union's alternatives that are compared. Comparing all pairs of a longer union would take too
 * long.
 */
const maxForms = 40

function judgeForms(
  { of, position }: Extract<Schema, { kind: 'union' }>,
  byId: Index,
  diagnostics: DiagnosticList,
): void {
  const forms = formsOf(of, byId)
  for (const [i, form] of forms) {
    const [j] = forms.find(([k, other]) => k > i && mayOverlap(form, other, schema => resolved(schema, byId))) ?? []
    if (j !== undefined) return diagnostics.add(messages.branchesOverlap(i + 1, j + 1), position)
  }
}

/**
 * Returns the first `maxForms` alternatives of a union, each with its index. The alternatives of a nested union replace
 * the nested union.
 */
function formsOf(of: readonly Schema[], byId: Index): readonly (readonly [number, Schema])[] {
  const forms: (readonly [number, Schema])[] = []
  const pending = of.map((form, i) => [i, form] as const).toReversed()
  for (let next = pending.pop(); next && forms.length < maxForms; next = pending.pop()) {
    const [i, form] = [next[0], resolved(next[1], byId)]
    if (form.kind !== 'union') forms.push([i, form])
    else for (const inner of form.of.toReversed()) pending.push([i, inner])
  }
  return forms
}
