import type { EmitOptions } from '../../options.ts'
import { runtimeModule } from '../file.ts'
import { inSentence } from '../layout/comment.ts'
import { quote } from '../layout/typescript.ts'
import { clientName } from '../names.ts'
import { runtimeSymbols } from '../runtime-symbols.ts'
import { render } from '../templates/render.ts'
import type { JoinedClient } from '../views/joined-client.ts'
import type { Outline } from '../../document-outline.ts'

/** The path of the joined client in the output root. */
export const joinedClientFile = 'client.ts'

/**
 * Returns the code of the client of all documents. The client has a member for each document with operations, and
 * creates the client of a document on first use.
 */
export function emitJoinedClient(outlines: readonly Outline[], name: string, options: EmitOptions): string {
  const joined = outlines.filter(({ operations }) => operations > 0)
  const transport = runtimeModule(runtimeSymbols.Transport.module, '.', options)
  const view = {
    documents: outlines.length,
    name,
    transportModule: moduleOf(transport, options),
    clients: joined.map(outline => clientView(outline, options)),
  }
  return render('joined-client', view, options.templates)
}

function clientView({ name, title }: Outline, options: EmitOptions): JoinedClient {
  return {
    title: inSentence(title),
    type: clientName(name),
    module: moduleOf(`./${name}/client`, options),
    field: `${name}Client`,
    // A class cannot have an accessor named `constructor` without brackets.
    member: name === 'constructor' ? "['constructor']" : name,
  }
}

const moduleOf = (module: string, { importEnding }: EmitOptions): string =>
  quote(module.startsWith('.') ? module + importEnding : module)
