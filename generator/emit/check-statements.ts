import { isConstraint, isNever, type Property, type Schema } from '../model/types.ts'
import { type CheckContext, ordinal } from './checks/check-context.ts'
import { schemaOf } from './emission.ts'
import { evaluationOf } from './checks/evaluation.ts'
import { camel, checkName, pascal, valuesName, word } from './names.ts'
import type { OutputFile } from './file.ts'
import type { Doc } from './layout/doc.ts'
import { asArrow, either } from './layout/logical.ts'
import { array, call, conditional, literal, member, property, quote } from './layout/typescript.ts'
import { enumValues } from './int64/values.ts'
import { listChain } from './checks/list-checks.ts'
import type { RuntimeSymbol } from './runtime-symbols.ts'
import { bounds, numberChain, type Run, textChain } from './scalar-checks.ts'
import { isOptional, memberView, visible, whole } from './type-expression.ts'

/** The checked value: the expression of the value, and the expression of the field that faults name. */
interface Subject {
  readonly value: string
  readonly field: string
}

/** Returns the statements that check an object's members; the variable `value` holds a record. */
export function memberStatements(schema: Extract<Schema, { kind: 'object' }>, context: CheckContext): readonly Doc[] {
  const statements: Doc[] = []
  const { file, hoisted, place } = context
  const properties = visible(schema.properties, context.view)
  const names = schema.properties.map(({ name }) => name)
  if (schema.additional === false && context.isClosed && !schema.patterns) {
    statements.push(call(file.runtime('closed'), ['value', 'faults', hoisted.members(names, place)]))
  }
  for (const property of properties) statements.push(...memberStatement(property, context))
  if (schema.patterns) statements.push(patternedStatement(schema, schema.patterns, names, context))
  const { patterns, additional } = schema
  if ((typeof additional === 'object' && !patterns) || schema.keyPattern !== undefined) {
    statements.push(entriesStatement(patterns ? { ...schema, additional: 'any' } : schema, names, context))
  }
  statements.push(...newerStatements(schema, context))
  const { minProperties, maxProperties } = schema
  if (minProperties !== undefined || maxProperties !== undefined) {
    const bounds = [String(minProperties ?? 0), String(maxProperties ?? 'Infinity')]
    statements.push(call(file.runtime('size'), ['value', 'faults', ...bounds]))
  }
  return statements
}

/** Returns the statements of `propertyNames` and `dependentRequired`. In an update, each member may be absent. */
function newerStatements(
  { dependents = [], names }: Extract<Schema, { kind: 'object' }>,
  context: CheckContext,
): readonly Doc[] {
  const { file, view } = context
  const statements = (view === 'update' ? [] : dependents).map(({ name, required }) =>
    call(file.runtime('together'), ['value', 'faults', quote(name), array(required.map(quote))]),
  )
  if (!names) return statements
  const check = checkOf(names, { ...context, place: `${context.place}Name` })
  return [call(file.runtime('names'), ['value', 'faults', check]), ...statements]
}

/** Returns the statement that checks the members of which the names match patterns, and the undeclared members. */
function patternedStatement(
  { additional }: Extract<Schema, { kind: 'object' }>,
  patterns: readonly (readonly [pattern: string, schema: Schema])[],
  names: readonly string[],
  context: CheckContext,
): Doc {
  const { file, hoisted, place } = context
  const inner = (name: string): CheckContext => ({ ...context, view: whole(context.view), place: `${place}${name}` })
  const rows = patterns.map(([pattern, schema], i) =>
    array([hoisted.pattern(pattern, `${place}${ordinal(i)}`), functionOf(schema, inner(`${ordinal(i)}Value`))]),
  )
  const isRefused = additional === false && context.isClosed
  const rest = typeof additional === 'object' ? [checkOf(additional, inner('Value'))] : isRefused ? ['false'] : []
  return call(file.runtime('patterned'), ['value', 'faults', array(rows), hoisted.members(names, place), ...rest])
}

function entriesStatement(
  { additional, keyPattern }: Extract<Schema, { kind: 'object' }>,
  names: readonly string[],
  context: CheckContext,
): Doc {
  const { file, hoisted, place } = context
  const check =
    typeof additional === 'object'
      ? checkOf(additional, { ...context, view: whole(context.view), place: `${place}Value` })
      : 'undefined'
  const further: Doc[] = []
  if (names.length > 0 || keyPattern !== undefined)
    further.push(names.length > 0 ? hoisted.members(names, place) : 'undefined')
  if (keyPattern !== undefined) further.push(hoisted.pattern(keyPattern, `${place}Key`))
  return call(file.runtime('entries'), ['value', 'faults', check, ...further])
}

/**
 * Returns the statements that check a member. The check requires the members that the type declares as always present.
 */
function memberStatement(property: Property, context: CheckContext): readonly Doc[] {
  const { name, schema } = property
  const subject = { value: memberValue(name, context.file), field: quote(name) }
  const inner = { ...inMember(context, name), view: memberView(property, context.view) }
  return valueStatement(subject, schema, !isOptional(property, context.view), inner)
}

/**
 * Returns the expression of a member. For a name that every object inherits, the expression reads only an own member.
 */
export function memberValue(name: string, file: OutputFile, value = 'value'): string {
  return name in Object.prototype ? `${file.runtime('own')}(${value}, ${quote(name)})` : member(value, name)
}

/** Returns the context of a member in the object of `context`. */
export const inMember = (context: CheckContext, name: string): CheckContext => ({
  ...context,
  place: `${context.place}${pascal(camel(word(name)))}`,
})

/**
 * Returns the statements that check a value, such as `if (value.x !== undefined && text(value.x, 'x', faults, 1))
 * formatted(...)`. The check of a type refuses a missing required member; a schema without a check of its type gets the
 * call `required`.
 */
export function valueStatement(
  subject: Subject,
  schema: Schema,
  isRequired: boolean,
  context: CheckContext,
): readonly Doc[] {
  const { file } = context
  const { value, field } = subject
  const chain = value.startsWith('value') ? chainOf(subject, schema, context) : [nestedCall(subject, schema, context)]
  const last = chain.at(-1)
  const judged = exemption(schema, value, file)?.judged ?? []
  const required = (): Doc => call(file.runtime('required'), [value, field, 'faults'])
  if (last === undefined) return isRequired ? [required()] : []
  const asksItself = !schema.implied && schema.kind !== 'never' && !isConstraint(schema)
  const given = isRequired ? (asksItself ? [] : [required()]) : [`${value} !== undefined`]
  return [conditional([...given, ...judged, ...chain.slice(0, -1)], last)]
}

/**
 * The conditions of values that pass unchecked: `passes` is true for an exempt value, and the conditions `judged` are
 * all true for a value to check.
 */
interface Exemption {
  readonly passes: string
  readonly judged: readonly string[]
}

/**
 * Returns the exempt values of a schema: null if the schema is nullable, and values of every other type if the schema
 * implies its type without a `type`. Returns undefined if every value is checked.
 */
export function exemption({ implied, kind, nullable }: Schema, value: string, file: OutputFile): Exemption | undefined {
  if (implied && (kind === 'string' || kind === 'number' || kind === 'boolean')) {
    return { passes: `typeof ${value} !== '${kind}'`, judged: [`typeof ${value} === '${kind}'`] }
  }
  if (implied && (kind === 'array' || kind === 'object')) {
    const test = kind === 'array' ? `Array.isArray(${value})` : `${file.runtime('isRecord')}(${value})`
    return { passes: `!${test}`, judged: [test] }
  }
  return nullable ? { passes: `${value} === null`, judged: [`${value} !== null`] } : undefined
}

/**
 * Returns the call that checks a nested value by a named function, because prettier formats an inline arrow function
 * differently after an argument that is no variable.
 */
function nestedCall({ value, field }: Subject, schema: Schema, context: CheckContext): Doc {
  const isNamed = schema.kind === 'ref' && !schema.nullable
  const name = isNamed ? checkOfNamed(schema.target, context) : context.local(schema, context)
  return call(context.file.runtime('nested'), [value, field, 'faults', name])
}

/** Returns the calls that check a value, each a boolean expression. Each call guards the next call. */
export function chainOf(subject: Subject, schema: Schema, context: CheckContext): readonly Doc[] {
  const { value, field } = subject
  const run = (symbol: RuntimeSymbol, ...args: readonly Doc[]): Doc =>
    call(context.file.runtime(symbol), [value, field, 'faults', ...args])
  switch (schema.kind) {
    case 'string':
      return textChain(schema, run, context)
    case 'number':
      return numberChain(schema, run, context.emission)
    case 'boolean':
      return [run('boolean')]
    case 'enum':
      return [run('choice', inlineSet(schema, context))]
    case 'array':
      return listChain(schema, run, context, checkOf)
    case 'ref':
      return [refCall(subject, schema.target, context)]
    case 'object':
    case 'intersection':
      return [run('nested', context.local(schema, context))]
    case 'union':
      return [unionCall(schema, run, context)]
    case 'not':
      // In an update, each member may be absent, so that a negated schema would accept too much.
      return context.view === 'update' ? [] : [run('not', checkOf(schema.of, negatedIn(context)))]
    case 'conditional':
      return context.view === 'update' || !(schema.then ?? schema.else) ? [] : [conditionalCall(schema, run, context)]
    case 'dependent':
      return [
        run('dependent', quote(schema.name), checkOf(schema.of, { ...context, place: `${context.place}Dependent` })),
      ]
    case 'unevaluated':
      return unevaluatedChain(schema, run, context)
    case 'constant':
      return [run('constant', literal(schema.value))]
    case 'never':
      return [call('faults.add', [field, quote(schema.nullable ? 'must be null' : 'must not be given')])]
    case 'binary':
      return [run('file', ...bounds(schema.minLength ?? 0, schema.maxLength))]
    case 'any':
      return []
  }
}

function conditionalCall(schema: Extract<Schema, { kind: 'conditional' }>, run: Run, context: CheckContext): Doc {
  const { then, else: otherwise } = schema
  const inner = (part: string): CheckContext => ({ ...context, place: `${context.place}${part}` })
  const chosen = then ? checkOf(then, inner('Then')) : 'undefined'
  const other = otherwise ? [checkOf(otherwise, inner('Else'))] : []
  return run('conditional', checkOf(schema.if, inner('If')), chosen, ...other)
}

/** Returns the call that checks what other parts of a schema leave unevaluated. Answers may hold further members. */
function unevaluatedChain(
  schema: Extract<Schema, { kind: 'unevaluated' }>,
  run: Run,
  context: CheckContext,
): readonly Doc[] {
  const { parts, rest } = schema
  const isRefused = isNever(rest)
  if (rest.kind === 'any' || (isRefused && parts === 'members' && !context.isClosed)) return []
  const inner = { ...context, view: whole(context.view), place: `${context.place}Rest` }
  const evaluation = context.hoisted.evaluation(evaluationOf(schema, context, functionOf), context.place)
  const check = isRefused ? [] : [checkOf(rest, inner)]
  return [run(parts === 'members' ? 'unevaluatedMembers' : 'unevaluatedItems', evaluation, ...check)]
}

const negatedIn = (context: CheckContext): CheckContext => ({ ...context, place: `${context.place}Not` })

function inlineSet(
  schema: Extract<Schema, { kind: 'enum' }>,
  { emission, hoisted, place, view }: CheckContext,
): string {
  const values = enumValues(schema, emission).filter(value => view === 'output' || value !== schema.unspecified)
  return hoisted.values(array(values.map(literal)), place)
}

/**
 * Returns the call of a named schema's check. The check of a named text takes the field as an argument, so the call
 * needs no `nested`.
 */
function refCall({ value, field }: Subject, target: string, context: CheckContext): Doc {
  const { isRecursive, schema } = schemaOf(context.emission, target)
  const check = checkOfNamed(target, context)
  if (schema.kind === 'string') return call(check, field === "''" ? [value, 'faults'] : [value, 'faults', field])
  return call(context.file.runtime(isRecursive ? 'recursive' : 'nested'), [value, field, 'faults', check])
}

function checkOfNamed(target: string, { emission, file, view }: CheckContext): string {
  const { views, document } = schemaOf(emission, target)
  return file.from('validators', checkName(views[view]), false, document)
}

function unionCall(schema: Extract<Schema, { kind: 'union' }>, run: Run, context: CheckContext): Doc {
  const { discriminator } = schema
  if (!discriminator) {
    const checks = schema.of.map((branch, i) => checkOf(branch, { ...context, place: `${context.place}${ordinal(i)}` }))
    return run('union', array(checks), String(schema.exactlyOne))
  }
  const rows = discriminator.mapping.map(([value, target]): Doc => property(value, checkOfNamed(target, context)))
  return run('tagged', quote(discriminator.property), context.hoisted.forms(rows, context.place))
}

/**
 * Returns the code of a function that checks one value of a schema: the name of a check function, or an arrow function.
 */
export function checkOf(schema: Schema, context: CheckContext): Doc {
  if (schema.kind === 'ref' && !schema.nullable && !schemaOf(context.emission, schema.target).isRecursive) {
    return checkOfNamed(schema.target, context)
  }
  if (needsFunction(schema)) return context.local(schema, context)
  const chain = chainOf({ value: 'item', field: "''" }, schema, context)
  if (chain.length === 0) return '() => true'
  return asArrow(itemParameters(schema), either(exemption(schema, 'item', context.file)?.passes, chain))
}

/** Returns the parameters of an arrow function that checks an item. No value of a schema without values is looked at. */
export const itemParameters = (schema: Schema): string => (isNever(schema) ? '(_item, faults)' : '(item, faults)')

/** Returns the name of a function that checks one value of a schema. */
function functionOf(schema: Schema, context: CheckContext): string {
  const isNamed = schema.kind === 'ref' && !schema.nullable && !schemaOf(context.emission, schema.target).isRecursive
  return isNamed ? checkOfNamed(schema.target, context) : context.local(schema, context)
}

const needsFunction = (schema: Schema): boolean =>
  (schema.kind === 'object' || schema.kind === 'intersection') && !schema.nullable

/** Returns the name of the constant that holds the set of a named enum's values in a view. */
export function enumSet(target: string, context: CheckContext): string {
  const named = schemaOf(context.emission, target)
  const { schema, views } = named
  const values = context.file.from('types', valuesName(named.views.output), false, named.document)
  if (schema.kind !== 'enum' || schema.unspecified === undefined || context.view === 'output') {
    return context.hoisted.values(values, camel(views.output))
  }
  return context.hoisted.valuesWithout(schema.unspecified, values, camel(views.input))
}
