import { type DiagnosticList, messages } from '../diagnostics.ts'
import { onCycles } from './cycles.ts'
import { schemasOf } from './exact-answers.ts'
import { judgeEncodings } from './form-schemas.ts'
import { isLine } from './header-line.ts'
import { joinedObject } from './joined-object.ts'
import { mayOverlap } from './overlap.ts'
import { isMap, mainBranch, type Operation, type Parameter, type Property, type Schema } from './types.ts'
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
  for (const { failures, parameters, successes } of operations) {
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

/**
 * Reports exploded objects whose members go to another parameter of their place: members with the name of another
 * parameter, and all members of a map beside another map, which takes everything that has no other name.
 */
function judgeExploded(parameters: readonly Parameter[], byId: Index, diagnostics: DiagnosticList): void {
  for (const place of ['query', 'cookie'] as const) {
    const placed = parameters
      .filter(each => each.in === place)
      .map(each => ({ parameter: each, exploded: explodedIn(each, byId) }))
    const taken = new Map(placed.filter(({ exploded }) => !exploded).map(({ parameter: { name } }) => [name, name]))
    for (const { exploded, parameter } of placed) {
      const names = exploded?.properties.map(({ name }) => name) ?? []
      const twice = names.find(name => taken.has(name))
      if (twice !== undefined)
        diagnostics.add(messages.parameterMembers(twice, taken.get(twice) ?? ''), parameter.position)
      for (const name of names) if (!taken.has(name)) taken.set(name, parameter.name)
    }
    const [first, ...others] = placed.flatMap(({ exploded, parameter }) =>
      exploded && isMap(exploded) ? [parameter] : [],
    )
    for (const { position } of others) diagnostics.add(messages.parameterMaps(first?.name ?? '', place), position)
  }
}

/** Returns the object of a parameter whose members are parameters of their own; undefined for any other parameter. */
function explodedIn({ explode, schema, style }: Parameter, byId: Index): ObjectSchema | undefined {
  const of = shaped(schema, byId)
  return explode && style === 'form' && of.kind === 'object' ? of : undefined
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

type Index = ReadonlyMap<string, Schema>
type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** Follows references to the final schema. The loop ends, because `judge` resolves no reference on a cycle. */
function resolved(schema: Schema, byId: Index): Schema {
  let current: Schema | undefined = schema
  while (current?.kind === 'ref') current = byId.get(current.target)
  return current ?? schema
}

/**
 * Returns the resolved schema; of an intersection of one schema with negated schemas, the resolved one, and of an
 * intersection of objects, the object of all members.
 */
function shaped(schema: Schema, byId: Index): Schema {
  const of = resolved(schema, byId)
  const only = of.kind === 'intersection' ? mainBranch(of) : undefined
  return only ? resolved(only, byId) : joinedObject(of, each => shaped(each, byId))
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

/**
 * Whether text can represent the values of a schema. Text can represent a scalar, a list of scalars, and an object
 * whose members are scalars or lists of scalars.
 */
function isTextual(schema: Schema, byId: Index): boolean {
  const of = shaped(schema, byId)
  if (of.kind === 'object') {
    return membersOf(of).every(member => isListOrScalar(member, byId))
  }
  return isListOrScalar(of, byId)
}

/** The maximal nesting of objects of the style `deepObject`. */
const maxDeep = 5

/** Whether the style `deepObject` can represent the values of a schema: objects in objects, and one object beside scalars. */
function isDeep(schema: Schema, byId: Index, depth: number): boolean {
  const of = shaped(schema, byId)
  const forms = of.kind === 'union' ? of.of.map(form => shaped(form, byId)) : [of]
  const objects = forms.filter(form => form.kind === 'object')
  const [object] = objects
  if (!object) return isListOrScalar(of, byId)
  if (objects.length > 1 || depth > maxDeep) return false
  const isAlike = forms.every(form => form === object || isScalar(form))
  return isAlike && membersOf(object).every(member => isDeep(member, byId, depth + 1))
}

/** Returns the schemas of the declared members of an object, and that of its undeclared members. */
const membersOf = ({ additional, properties }: ObjectSchema): readonly Schema[] => [
  ...properties.map(({ schema }) => schema),
  ...(typeof additional === 'object' ? [additional] : []),
]

function isListOrScalar(schema: Schema, byId: Index): boolean {
  const of = shaped(schema, byId)
  // No text tells the types of the items of a tuple apart.
  if (of.kind === 'array' && of.prefix) return false
  return isText(of.kind === 'array' ? shaped(of.items, byId) : of, byId)
}

/** Whether a text has one meaning as a value of a schema: a text beside numbers could be any of them. */
function isText(schema: Schema, byId: Index): boolean {
  if (schema.kind !== 'union') return isScalar(schema)
  const forms = schema.of.map(form => shaped(form, byId))
  const texts = forms.filter(form => form.kind === 'string' || (form.kind === 'enum' && hasText(form)))
  return forms.every(isScalar) && (texts.length === 0 || texts.length === forms.length)
}

const hasText = ({ values }: Extract<Schema, { kind: 'enum' }>): boolean =>
  values.some(value => typeof value === 'string')

function isScalar(schema: Schema): boolean {
  if (schema.kind === 'enum') return !hasText(schema) || schema.values.every(value => typeof value === 'string')
  return schema.kind === 'string' || schema.kind === 'number' || schema.kind === 'boolean' || schema.kind === 'any'
}
