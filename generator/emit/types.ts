import type { NamedSchema, Operation, Property, Schema, View } from '../model/types.ts'
import { isStream } from './answer-type.ts'
import { handlerBody, sentBody } from './bodies.ts'
import { type Emission, openFile, schemaOf } from './emission.ts'
import { enumValues } from './int64/values.ts'
import { valuesName } from './names.ts'
import type { OutputFile } from './file.ts'
import {
  bodyCompletion,
  completionOf,
  hasParsedRequest,
  filledMembers,
  filledParameters,
  parsedType,
  isNarrowed,
  requestCompletion,
} from './parsed-types.ts'
import type { Doc } from './layout/doc.ts'
import { aliased, annotated, generic, intersectionOf, objectOf, type Type, unionOf } from './layout/type.ts'
import { array, key, literal, quote } from './layout/typescript.ts'
import { indexSignature, memberOf, type TypeContext, typeOf, visible } from './type-expression.ts'

/** Emits types.ts: every schema in its views and with its defaults filled, and the request of every operation. */
export function emitTypes(emission: Emission): OutputFile {
  const file = openFile(emission, 'types')
  for (const schema of emission.document.schemas) printSchema(schema, { emission, file, view: 'output' })
  for (const operation of emission.document.operations) printRequest(operation, { emission, file, view: 'input' })
  return file
}

function printSchema(named: NamedSchema, context: TypeContext): void {
  const { isAnswered, schema, source, views } = named
  const origin = source === undefined ? [] : [`The document names this schema ${quote(source)}.`]
  const description = [schema.description ?? [], origin].flat().join('\n\n')
  if (isAnswered) printView(named, 'output', context, description)
  if (views.input !== views.output) {
    printView(named, 'input', context, isAnswered ? `\`${views.output}\` in the form that requests send.` : description)
  }
  if (hasInput(named) && completionOf(schema, context.emission).fills) printParsedType(named, context)
  if (views.update !== views.input) printUpdate(named, context)
}

/** Whether a schema has an input view that differs from its output view. */
const hasInput = ({ views }: NamedSchema): boolean => views.input !== views.output

function printView(named: NamedSchema, view: View, context: TypeContext, description: string | undefined): void {
  const { schema, views } = named
  const { file } = context
  file.comment(description, schema.deprecated)
  if (schema.kind === 'enum') printEnum(named, view, context)
  else printType(views[view], schema, { ...context, view })
  file.blank()
}

function printType(name: string, schema: Schema, context: TypeContext): void {
  const isInterface =
    schema.kind === 'object' && !schema.nullable && visible(schema.properties, context.view).length > 0
  if (isInterface) printInterface(name, schema, context)
  else context.file.print(aliased(name, typeOf(schema, context)))
}

function printInterface(name: string, schema: Extract<Schema, { kind: 'object' }>, context: TypeContext): void {
  const { file, view } = context
  const properties = visible(schema.properties, view)
  file.block(`export interface ${name}`, () => {
    for (const property of properties) {
      const { description, deprecated } = property.schema
      file.comment(description, deprecated)
      file.print(memberOf(property, context))
    }
    const index = indexSignature(schema, properties, context)
    if (index) file.print(index)
  })
}

/** Prints an enum as a list of its values with a derived type. The input view leaves out the unspecified value. */
function printEnum(named: NamedSchema, view: View, { emission, file }: TypeContext): void {
  const { schema, views } = named
  if (schema.kind !== 'enum') return
  const withNull = (type: Type): Type => (schema.nullable ? unionOf([type, 'null']) : type)
  if (view === 'input' && schema.unspecified !== undefined) {
    file.print(aliased(views.input, withNull(generic('Exclude', views.output, quote(schema.unspecified)))))
    return
  }
  const values = valuesName(views.output)
  file.print([`export const ${values} = `, array(enumValues(schema, emission).map(literal)), ' as const'])
  file.print(aliased(views.output, withNull(`(typeof ${values})[number]`)))
}

/**
 * Prints the update view: the input view without required members, or a separate type if a nested object differs in
 * updates too or the schema is no object.
 */
function printUpdate(named: NamedSchema, context: TypeContext): void {
  const { isAnswered, schema, views } = named
  const { file, emission } = context
  file.comment(
    `\`${isAnswered ? views.output : views.input}\` in an update. Members that the mask of the update does not name are left out.`,
  )
  const isPartial = schema.kind === 'object' && !schema.properties.some(property => differsInUpdate(property, emission))
  if (isPartial) file.print(aliased(views.update, generic('Partial', views.input)))
  else printType(views.update, schema, { ...context, view: 'update' })
  file.blank()
}

function differsInUpdate({ schema }: Property, emission: Emission): boolean {
  if (schema.kind !== 'ref') return false
  const { views } = schemaOf(emission, schema.target)
  return views.update !== views.input
}

function printParsedType(named: NamedSchema, context: TypeContext): void {
  const { schema, views } = named
  const { file } = context
  file.comment(`\`${views.input}\` with its defaults filled, in the form that handlers get.`)
  const sent: TypeContext = { ...context, view: 'input' }
  const filled = schema.kind === 'object' ? intersectionOf([views.input, filledMembers(schema, sent)]) : undefined
  const type = filled && schema.nullable ? unionOf([filled, 'null']) : (filled ?? parsedType(schema, sent))
  file.print(aliased(named.parsedName, type))
  file.blank()
}

function printRequest(operation: Operation, context: TypeContext): void {
  const { emission, file } = context
  const { body, parameters, requestName } = operation
  file.comment(`\`${operation.method} ${operation.path}\``)
  if (parameters.length === 0 && !body) {
    file.print(aliased(requestName, generic('Record', 'string', 'never')))
    file.blank()
    return
  }
  file.block(`export interface ${requestName}`, () => {
    for (const { member, required, schema, description, deprecated } of parameters) {
      file.comment(description, deprecated || schema.deprecated)
      const isRequired = required && schema.default === undefined
      file.print(annotated(`${key(member)}${isRequired ? ':' : '?:'}`, typeOf(schema, context)))
    }
    if (body) {
      file.comment(body.description)
      file.print(annotated(body.required ? 'body:' : 'body?:', sentBody(body, context)))
    }
  })
  file.blank()
  if (hasParsedRequest(operation, emission)) printParsedRequest(operation, context)
}

function printParsedRequest(operation: Operation, context: TypeContext): void {
  const { requestName, body } = operation
  const { emission, file } = context
  const isFilled = requestCompletion(operation, emission).fills
  const what = isFilled
    ? 'with its defaults filled, in the form that the handler gets'
    : 'in the form that the handler gets'
  file.comment(`\`${requestName}\` ${what}.`)
  const members = filledParameters(operation).map(({ member, schema }): Doc =>
    annotated(`${key(member)}:`, typeOf(schema, context)),
  )
  if (body && (isNarrowed(body) || bodyCompletion(body, emission).fills)) {
    members.push(annotated(body.required ? 'body:' : 'body?:', handlerBody(body, context)))
  }
  if (body && (isNarrowed(body) || body.isTagged || isStream(body.content))) {
    printExtension(operation.parsedRequestName, requestName, members, file)
  } else {
    file.print(aliased(operation.parsedRequestName, intersectionOf([requestName, objectOf(members)])))
  }
  file.blank()
}

/**
 * Prints an interface that extends another interface. Unlike an intersection, the interface may narrow an untagged
 * union.
 */
function printExtension(name: string, of: string, members: readonly Doc[], file: OutputFile): void {
  file.block(`export interface ${name} extends ${of}`, () => {
    for (const member of members) file.print(member)
  })
}
