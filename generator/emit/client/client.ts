import type { Operation } from '../../model/types.ts'
import { resultType } from '../answer-type.ts'
import { type Emission, openFile } from '../emission.ts'
import { listNames } from '../list-names.ts'
import { clientName } from '../names.ts'
import type { OutputFile } from '../file.ts'
import { inSentence } from '../layout/comment.ts'
import { typeCode } from '../layout/type.ts'
import { key, quote } from '../layout/typescript.ts'
import { operationComment } from '../operation-comment.ts'
import { render } from '../templates/render.ts'
import { typeOf } from '../type-expression.ts'
import type { ClientOperation, Iterator, Waiter } from '../views/client.ts'

/**
 * Emits client.ts: a method for each operation over one transport, iterators for lists, and a method that waits for
 * operations if the document has operation records. Returns undefined for a document without operations.
 */
export function emitClient(emission: Emission): OutputFile | undefined {
  const { document } = emission
  if (document.operations.length === 0) return undefined
  const file = openFile(emission, 'client')
  const { operations, name, title } = document
  const view = {
    title: inSentence(title),
    name: clientName(name),
    operations: operations.map(operation => methodView(operation, emission, file)),
    waiter: waiterView(emission, file),
    Transport: file.runtime('Transport'),
    CallOptions: file.runtime('CallOptions'),
    send: file.runtime('send'),
    iterate: operations.some(({ list }) => list) ? file.runtime('iterate') : '',
  }
  file.write(render('client', view, emission.options.templates))
  return file
}

function methodView(operation: Operation, emission: Emission, file: OutputFile): ClientOperation {
  const { body, name, parameters, requestName, routeName } = operation
  return {
    comment: operationComment(operation, 2).trim(),
    name: key(name),
    request: file.from('types', requestName, true),
    isOptional:
      !body?.required && parameters.every(({ required, schema }) => !required || schema.default !== undefined),
    result: typeCode(resultType(operation, { emission, file, view: 'output' })),
    route: file.from('routes', routeName, false),
    onServer: operation.server ? file.runtime('onServer') : '',
    iterator: iteratorView(operation, emission, file),
  }
}

function iteratorView(operation: Operation, emission: Emission, file: OutputFile): Iterator | false {
  const { list } = operation
  if (!list) return false
  return {
    name: key(listNames(operation, emission.document).iterator),
    row: typeCode(typeOf(list.item, { emission, file, view: 'output' })),
    member: quote(list.member),
  }
}

function waiterView(emission: Emission, file: OutputFile): Waiter | false {
  const { operations } = emission.document
  const getOperation = operations.find(({ id }) => id === 'getOperation')
  if (!getOperation || !operations.some(({ returnsOperation }) => returnsOperation)) return false
  return {
    record: typeCode(resultType(getOperation, { emission, file, view: 'output' })),
    route: file.from('routes', getOperation.routeName, false),
    onServer: getOperation.server ? file.runtime('onServer') : '',
    wait: file.runtime('wait'),
    WaitOptions: file.runtime('WaitOptions'),
  }
}
