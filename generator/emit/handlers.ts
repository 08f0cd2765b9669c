import type { Group, Operation } from '../model/types.ts'
import { answerType } from './answer-type.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { handlerRequestName } from './parsed-types.ts'
import { headOf } from './operation-comment.ts'
import { inSentence } from './layout/comment.ts'
import { generic, layout } from './layout/type.ts'
import { key, quote, signature } from './layout/typescript.ts'
import type { Doc } from './layout/doc.ts'

/**
 * Emits handlers.ts: the interfaces that handwritten code implements. The file holds only types, so a missing handler
 * is an error of the compiler. Returns undefined for a document without operations.
 */
export function emitHandlers(emission: Emission): OutputFile | undefined {
  if (emission.document.operations.length === 0) return undefined
  const file = openFile(emission, 'handlers')
  for (const group of emission.document.groups) printGroup(group, emission, file)
  file.comment(`The handlers of all operations of ${inSentence(emission.document.title)}.`)
  file.block(`export interface ${handlersName(emission)}`, () => {
    for (const { name, interfaceName } of emission.document.groups) {
      file.print(`readonly ${key(name)}: ${interfaceName}`)
    }
  })
  return file
}

export const handlersName = ({ document }: Emission): string => `${pascal(document.name)}Handlers`

function printGroup({ interfaceName, operations }: Group, emission: Emission, file: OutputFile): void {
  file.block(`export interface ${interfaceName}`, () => {
    for (const operation of operations) {
      file.comment(headOf(operation))
      file.print(methodOf(operation, emission, file))
    }
  })
  file.blank()
}

function methodOf(operation: Operation, emission: Emission, file: OutputFile): Doc {
  const request = file.from('types', handlerRequestName(operation, emission), true)
  const context = file.runtime(operation.list ? 'ListContext' : 'CallContext')
  const answer = answerType(operation, { emission, file, view: 'output' })
  // Without quotes, `new` would declare a constructor signature.
  const name = operation.name === 'new' ? quote('new') : key(operation.name)
  return signature(name, [`request: ${request}`, `context: ${context}`], layout(generic('Promise', answer)))
}
