import type { Content, NamedSchema, Operation, Property, RequestBody, Schema } from '../model/types.ts'
import { isStream } from './answer-type.ts'
import { readBody } from './bodies.ts'
import { memberValue } from './check-statements.ts'
import { isRange } from './tagged-type.ts'
import { type Emission, resolved, schemaOf } from './emission.ts'
import { valuesOf } from './completion.ts'
import { filledDefault } from './filled-default.ts'
import { camel, completeName, pascal, word } from './names.ts'
import type { OutputFile } from './file.ts'
import {
  bodyCompletion,
  completionOf,
  contentCompletion,
  filledParameters,
  handlerRequestName,
  isNarrowed,
  outputOnly,
  requestCompletion,
} from './parsed-types.ts'
import type { Hoisted } from './hoisted.ts'
import { type Doc, group, indent, line } from './layout/doc.ts'
import { annotated, generic, intersectionOf, layout, objectOf, type Type } from './layout/type.ts'
import {
  assigned,
  below,
  call,
  choice,
  choices,
  expressed,
  type Expression,
  fallback,
  literal,
  mapped,
  member,
  object,
  quote,
  signature,
} from './layout/typescript.ts'
import { visible } from './type-expression.ts'

const isCompleted = ({ fills, drops }: { readonly fills: boolean; readonly drops: boolean }): boolean => fills || drops

/**
 * Prints the function `completeX(value)`, which returns a sent `X` with its defaults filled and without the members
 * that only the server sets. Prints nothing if requests and responses share a type, or if completing changes no value.
 */
export function printComplete(named: NamedSchema, emission: Emission, file: OutputFile, hoisted: Hoisted): void {
  const { schema, views } = named
  const completion = completionOf(schema, emission)
  if (views.input === views.output || !isCompleted(completion)) return
  const sent = file.from('types', views.input, true)
  const result = completion.fills ? file.from('types', named.parsedName, true) : sent
  const context: CompleteContext = { emission, file, hoisted, place: camel(views.output) }
  file.block(signature(`export function ${completeName(views.input)}`, [`value: ${sent}`], result), () => {
    file.print(['return ', expressed(completed('value', schema, context))])
  })
  file.blank()
}

/**
 * Prints the function `completeXRequest(request)`, which returns the request as its handler gets it. Prints nothing if
 * completing changes no request.
 */
export function printRequestComplete(
  operation: Operation,
  emission: Emission,
  file: OutputFile,
  hoisted: Hoisted,
): void {
  const { body, requestName } = operation
  if (!isCompleted(requestCompletion(operation, emission))) return
  const completesBody = body !== undefined && isCompleted(bodyCompletion(body, emission))
  const context: CompleteContext = { emission, file, hoisted, place: camel(requestName) }
  const omitted = completesBody && !body.required ? ['body'] : []
  const members: Doc[] = [['...', without('request', omitted, context)]]
  for (const { member: name, schema } of filledParameters(operation)) {
    members.push(filled(name, 'request', schema, context))
  }
  if (completesBody) {
    const inner = { ...context, place: `${context.place}Body` }
    members.push(memberCompleted('body', 'request', body.required, bodyCompleted(body, inner)))
  }
  const sent = readRequest(operation, emission, file)
  const result = file.from('types', handlerRequestName(operation, emission), true)
  file.block(signature(`export function ${completeName(requestName)}`, [['request: ', layout(sent)]], result), () => {
    file.print(['return ', object(members)])
  })
  file.blank()
}

/**
 * Returns the type of a request after the runtime has read the request: the body has a single form, even if callers may
 * send several forms.
 */
function readRequest({ body, requestName }: Operation, emission: Emission, file: OutputFile): Type {
  const sent = file.from('types', requestName, true)
  if (!body || !isNarrowed(body)) return sent
  const type = annotated(body.required ? 'body:' : 'body?:', readBody(body, { emission, file, view: 'input' }))
  return intersectionOf([generic('Omit', sent, quote('body')), objectOf([type])])
}

/**
 * Returns the member with the completed body of `request`, chosen by content type if the body may have several media
 * types.
 */
function bodyCompleted(body: RequestBody, context: CompleteContext): Doc {
  const value = 'request.body'
  if (!body.isTagged) return assigned('body', contentCompleted(value, body, body.content, context))
  const restOf = (each: Content): Doc => {
    const inner = { ...context, place: `${context.place}${pascal(each.kind)}` }
    return object([`...${value}`, assigned('body', contentCompleted(`${value}.body`, body, each, inner))])
  }
  const isChanged = (each: Content): boolean => isCompleted(contentCompletion(body, each, context.emission))
  const types = body.contents.filter(each => !isRange(each.type))
  const ranges = body.contents.filter(each => isRange(each.type))
  const [range] = ranges.length === 1 ? ranges.filter(isChanged) : []
  const branches = types
    .filter(each => range !== undefined || isChanged(each))
    .map(each => [`${value}.contentType === ${quote(each.type)}`, isChanged(each) ? restOf(each) : value] as const)
  return below('body', choices(branches, range ? restOf(range) : value))
}

function contentCompleted(value: string, body: RequestBody, content: Content, context: CompleteContext): Expression {
  if (body.isPatch) return without(value, outputOnly(content.schema, context.emission), context)
  if (!isStream(content)) return completed(value, content.schema, context)
  return mapped(context.file.runtime('mapItems'), [value], completed('item', content.schema, context))
}

/** Returns the name of an operation's complete function; undefined if the operation needs no complete function. */
export const requestComplete = (operation: Operation, emission: Emission): string | undefined =>
  isCompleted(requestCompletion(operation, emission)) ? completeName(operation.requestName) : undefined

interface CompleteContext {
  readonly emission: Emission
  readonly file: OutputFile
  readonly hoisted: Hoisted
  readonly place: string
}

/** Returns the expression that completes `value`. A nullable `value` may be `null`. */
function completed(value: string, schema: Schema, context: CompleteContext): Expression {
  if (!isCompleted(completionOf(schema, context.emission))) return value
  const inner = plainCompleted(value, schema, context)
  return schema.nullable ? choice(`${value} === null`, 'null', inner) : inner
}

function plainCompleted(value: string, schema: Schema, context: CompleteContext): Doc {
  switch (schema.kind) {
    case 'ref': {
      const { views, document } = schemaOf(context.emission, schema.target)
      return call(context.file.from('validators', completeName(views.input), false, document), [value])
    }
    case 'array':
      return mapped(`${value}.map`, [], completed('item', schema.items, context))
    case 'union':
      return branchCompleted(value, schema, context)
    case 'intersection':
    case 'object': {
      const values = schema.kind === 'object' ? valuesOf(schema) : undefined
      if (values) return mapped(context.file.runtime('mapValues'), [value], completed('item', values, context))
      return membersCompleted(
        value,
        propertiesOf(schema, context.emission),
        hasAlternatives(schema, context.emission),
        context,
      )
    }
    default:
      return value
  }
}

/** Returns the value of a union with a discriminator, completed as the branch that the discriminator names. */
function branchCompleted(
  value: string,
  { discriminator, of }: Extract<Schema, { kind: 'union' }>,
  context: CompleteContext,
): Doc {
  const { mapping = [], property: tag = '' } = discriminator ?? {}
  const current = member(value, tag)
  const branches = mapping.flatMap(([name, target]) => {
    const branch = of.find(each => each.kind === 'ref' && each.target === target)
    if (!branch || !isCompleted(completionOf(branch, context.emission))) return []
    const whole = object([['...', expressed(completed(value, branch, context))], assigned(tag, current)])
    return [[`${current} === ${quote(name)}`, whole] as const]
  })
  return choices(branches, value)
}

/**
 * Returns the properties of an object, or the properties of all branches of an intersection; completing the branches
 * one after the other would restore the members that an earlier branch dropped. Of properties with the same name, a
 * property that completing changes is preferred, then a property that requests send; it is required if any branch
 * requires it. Schemas of other kinds have no properties.
 */
function propertiesOf(schema: Schema, emission: Emission): readonly Property[] {
  const of = resolved(emission, schema)
  if (of.kind === 'object') return of.properties
  if (of.kind !== 'intersection') return []
  const byName = Map.groupBy(
    of.of.flatMap(branch => propertiesOf(branch, emission)),
    ({ name }) => name,
  )
  return [...byName.values()].flatMap(same => {
    const sent = visible(same, 'input')
    const found = sent.find(property => isChanged(property, emission)) ?? sent[0] ?? same[0]
    return found ? [{ ...found, required: same.some(({ required }) => required) }] : []
  })
}

/** Whether an intersection has a union among its branches. */
function hasAlternatives(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  return of.kind === 'union' || (of.kind === 'intersection' && of.of.some(branch => hasAlternatives(branch, emission)))
}

const isChanged = ({ masked, schema }: Property, emission: Emission): boolean =>
  schema.default !== undefined || (!masked && isCompleted(completionOf(schema, emission)))

/**
 * Returns the object with completed members. With `isAlternative`, some members are required in some alternatives only,
 * and TypeScript does not see that the object without a member and with its completed value has the same type.
 */
function membersCompleted(
  value: string,
  properties: readonly Property[],
  isAlternative: boolean,
  context: CompleteContext,
): Doc {
  const changed = visible(properties, 'input').filter(property => isChanged(property, context.emission))
  const dropped = properties.filter(({ access }) => access === 'output')
  const rebuilt = changed.filter(({ required, schema }) => !required && schema.default === undefined)
  const rest = without(
    value,
    [...dropped, ...rebuilt].map(({ name }) => name),
    context,
  )
  if (changed.length === 0 && dropped.length > 0) return rest
  const whole = object([['...', rest], ...changed.map(property => propertyCompleted(property, value, context))])
  return rebuilt.length > 0 && isAlternative ? call(context.file.runtime('retyped'), [whole]) : whole
}

/** Returns the expression of `value` without the named members. */
function without(value: string, names: readonly string[], { file, hoisted, place }: CompleteContext): Doc {
  return names.length === 0 ? value : call(file.runtime('omit'), [value, hoisted.omitted(names, place)])
}

function propertyCompleted({ name, required, schema }: Property, value: string, context: CompleteContext): Doc {
  const inner = { ...context, place: `${context.place}${pascal(word(name))}` }
  if (schema.default === undefined) {
    return memberCompleted(name, value, required, assigned(name, completed(member(value, name), schema, inner)))
  }
  if (!isCompleted(completionOf(schema, context.emission))) return filled(name, value, schema, context)
  return chosen(
    name,
    value,
    completed(member(value, name), schema, inner),
    literal(filledDefault(schema, context.emission)),
  )
}

/**
 * Returns the member with the sent value, or with its default if the value is absent. If a caller may send null, null
 * counts as a value.
 */
function filled(name: string, value: string, schema: Schema, { emission, file }: CompleteContext): Doc {
  const standard = literal(filledDefault(schema, emission))
  if (schema.default !== null && maybeNull(schema, emission)) return chosen(name, value, member(value, name), standard)
  return fallback(name, memberValue(name, file, value), standard)
}

/** Returns the member with the expression `given` if the member is present, else with the default. */
function chosen(name: string, value: string, given: Expression, standard: Doc): Doc {
  const current = member(value, name)
  if (!isInherited(name)) return assigned(name, choice(`${current} === undefined`, standard, given))
  return assigned(name, choice(`${isOwn(name, value)} && ${current} !== undefined`, expressed(given), standard))
}

/**
 * Whether every object inherits the name. A member with an inherited name counts as sent only if it is an own member.
 */
const isInherited = (name: string): boolean => name in Object.prototype
const isOwn = (name: string, value: string): string => `Object.hasOwn(${value}, ${quote(name)})`

function maybeNull(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  const hasNull = (branch: Schema): boolean => maybeNull(branch, emission)
  if (schema.nullable || of.nullable || of.kind === 'any') return true
  if (of.kind === 'union') return of.of.some(hasNull)
  return of.kind === 'intersection' && of.of.every(hasNull)
}

function memberCompleted(name: string, value: string, required: boolean, inner: Doc): Doc {
  if (required) return inner
  const isThere = [`${member(value, name)} !== undefined && `, object([inner])]
  if (!isInherited(name)) return ['...(', isThere, ')']
  return ['...(', group([isOwn(name, value), ' &&', indent([line, isThere])]), ')']
}
