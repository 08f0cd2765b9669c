import type { Group, Operation } from '../model/types.ts'
import { answerType } from './answer-type.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { givenRequest } from './given.ts'
import { shortComment } from './operation-comment.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { generic, layout } from './layout/type.ts'
import { key, quote, signature } from './layout/typescript.ts'
import { print } from './layout/doc.ts'

/** handlers.ts: the interfaces that handwritten code implements; types only, so a missing handler fails the compile. */
export function emitHandlers(emission: Emission): OutputFile | undefined {
  if (emission.document.operations.length === 0) return undefined
  const file = openFile(emission, 'handlers')
  for (const group of emission.document.groups) printGroup(group, emission, file)
  file.write(docComment(`Every handler of ${inSentence(emission.document.title)}.`))
  file.write(`export interface ${handlersName(emission)} {\n`)
  for (const { name, interfaceName } of emission.document.groups)
    file.write(`  readonly ${key(name)}: ${interfaceName}\n`)
  file.write('}\n')
  return file
}

export const handlersName = ({ document }: Emission): string => `${pascal(document.name)}Handlers`

function printGroup({ interfaceName, operations }: Group, emission: Emission, file: OutputFile): void {
  file.write(`export interface ${interfaceName} {\n`)
  for (const operation of operations) {
    file.write(shortComment(operation, 2))
    file.write(`  ${print(methodOf(operation, emission, file), 2)}\n`)
  }
  file.write('}\n\n')
}

function methodOf(operation: Operation, emission: Emission, file: OutputFile) {
  const request = file.from('types', givenRequest(operation, emission), true)
  const context = file.runtime(operation.list ? 'ListContext' : 'CallContext')
  const answer = answerType(operation, { emission, file, view: 'output' })
  // bare, `new` would declare what constructs the interface
  const name = operation.name === 'new' ? quote('new') : key(operation.name)
  return signature(name, [`request: ${request}`, `context: ${context}`], layout(generic('Promise', answer)))
}
