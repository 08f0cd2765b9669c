import type { Operation } from '../model/types.ts'
import { resultType } from './answer-type.ts'
import { type Emission, openFile } from './emission.ts'
import { listNames } from './list-names.ts'
import { clientName } from './names.ts'
import type { OutputFile } from './file.ts'
import { type Doc, print } from './layout/doc.ts'
import { annotated, generic, layout, type Type, unionOf } from './layout/type.ts'
import { call, key, quote, signature } from './layout/typescript.ts'
import { operationComment } from './operation-comment.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { render } from './templates.ts'
import { typeOf } from './type-expression.ts'

/** client.ts: a method an operation over one transport, iterators for lists and a waiter for operations. */
export function emitClient(emission: Emission): OutputFile | undefined {
  const { document } = emission
  if (document.operations.length === 0) return undefined
  const file = openFile(emission, 'client')
  const waiter = waiterView(emission, file)
  const methods = document.operations.flatMap(operation => [
    methodView(operation, emission, file),
    ...(operation.list ? [iteratorView(operation, emission, file)] : []),
  ])
  const view = {
    comment: docComment(`A client of ${inSentence(document.title)}: one method an operation, over one transport.`),
    name: clientName(document.name),
    transport: file.runtime('Transport'),
    methods: waiter ? [...methods, waiter] : methods,
  }
  file.write(render('client', view))
  return file
}

interface MethodView {
  readonly comment: string
  readonly signature: string
  readonly body: string
}

/** `(request: GetQuotaRequest, options?: CallOptions)`; a request that may be empty may be left out. */
function parametersOf(operation: Operation, file: OutputFile): readonly string[] {
  const type = file.from('types', operation.requestName, true)
  const isOptional =
    !operation.body?.required &&
    operation.parameters.every(({ required, schema }) => !required || schema.default !== undefined)
  return [`request: ${type}${isOptional ? ' = {}' : ''}`, `options?: ${file.runtime('CallOptions')}`]
}

function methodView(operation: Operation, emission: Emission, file: OutputFile): MethodView {
  const result = resultType(operation, { emission, file, view: 'output' })
  const route = file.from('routes', operation.routeName, false)
  return {
    comment: operationComment(operation, 2),
    signature: head(operation.name, parametersOf(operation, file), generic('Promise', result)),
    body: returned(call(file.runtime('send'), ['this.#transport', route, 'request', 'options'])),
  }
}

function iteratorView(operation: Operation, emission: Emission, file: OutputFile): MethodView {
  const { list, name, routeName } = operation
  const item = list ? typeOf(list.item, { emission, file, view: 'output' }) : 'unknown'
  const route = file.from('routes', routeName, false)
  return {
    comment: docComment(`Every row of \`${name}\`, page after page.`, 2),
    signature: head(
      listNames(operation, emission.document).iterator,
      parametersOf(operation, file),
      generic('AsyncGenerator', item, 'void', 'undefined'),
    ),
    body: returned(
      call(file.runtime('iterate'), ['this.#transport', route, quote(list?.member ?? ''), 'request', 'options']),
    ),
  }
}

function waiterView(emission: Emission, file: OutputFile): MethodView | undefined {
  const { operations } = emission.document
  const getOperation = operations.find(({ id }) => id === 'getOperation')
  if (!getOperation || !operations.some(({ returnsOperation }) => returnsOperation)) return undefined
  const type = resultType(getOperation, { emission, file, view: 'output' })
  const route = file.from('routes', getOperation.routeName, false)
  const parameters: Doc[] = [
    annotated('operation:', unionOf([type, 'string'])),
    annotated('options?:', generic(file.runtime('WaitOptions'), type)),
  ]
  return {
    comment: docComment('Waits until an operation has ended; throws `OperationFailed` when it ended with errors.', 2),
    signature: head('waitOperation', parameters, generic('Promise', type)),
    body: returned(call(file.runtime('wait'), ['this.#transport', route, 'operation', 'options'])),
  }
}

const returned = (doc: Doc): string => print(['return ', doc], 4)

const head = (name: string, parameters: readonly Doc[], result: Type): string =>
  print([signature(key(name), parameters, layout(result)), ' {'], 2).replace(/ \{$/, '')
