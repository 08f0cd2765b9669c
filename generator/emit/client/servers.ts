import type { Document } from '../../model/types.ts'
import { type Emission, openFile } from '../emission.ts'
import type { OutputFile } from '../file.ts'
import { inSentence } from '../layout/comment.ts'
import { annotated, type Type, unionOf } from '../layout/type.ts'
import { array, key, literalType, member, quote } from '../layout/typescript.ts'
import { pascal } from '../names.ts'

type Server = NonNullable<Document['server']>
/** A variable in the URL of a server. */
type Variable = Exclude<Server['parts'][number], string>

/**
 * Emits servers.ts: a function for each server with variables, which returns its URL. Returns undefined for a document
 * without such servers.
 */
export function emitServers(emission: Emission): OutputFile | undefined {
  const { operations, server } = emission.document
  const file = openFile(emission, 'servers')
  if (server) printServer('documentUrl', server, 'the document', file)
  for (const { id, routeName, server: own } of operations) {
    if (own) printServer(`${routeName}Server`, own, id, file)
  }
  return file
}

function printServer(name: string, { parts }: Server, owner: string, file: OutputFile): void {
  const variables = new Map(parts.flatMap(part => (typeof part === 'string' ? [] : [[part.name, part] as const])))
  if (variables.size === 0) return
  const given = file.claim(`${pascal(name)}Variables`)
  file.comment(`The variables in the URL of the server of ${inSentence(owner)}.`)
  file.block(`export interface ${given}`, () => {
    for (const variable of variables.values()) {
      file.comment(`Absent: ${quote(variable.default)}.`)
      file.print(annotated(`readonly ${key(variable.name)}?:`, typeOf(variable)))
    }
  })
  file.blank()
  file.comment(`Returns the URL of the server of ${inSentence(owner)}.`)
  file.block(`export function ${name}(variables: ${given} = {}): string`, () => {
    const texts = parts
      .filter(part => part !== '')
      .map(part => (typeof part === 'string' ? quote(part) : valueOf(part)))
    file.print(['const parts = ', array(texts)])
    file.print("return parts.join('')")
  })
  file.blank()
}

const typeOf = ({ default: standard, values }: Variable): Type =>
  values.length === 0 ? 'string' : unionOf([...new Set([standard, ...values])].map(literalType))

const valueOf = ({ default: standard, name }: Variable): string => `${member('variables', name)} ?? ${quote(standard)}`
