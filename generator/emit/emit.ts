import type { Model } from '../model/types.ts'
import type { EmitOptions } from '../options.ts'
import { emitArea, recordsOf } from './area.ts'
import { emitClient } from './client/client.ts'
import { type Emission, emissions } from './emission.ts'
import { emitErrors } from './errors.ts'
import type { OutputFile } from './file.ts'
import { emitFilters } from './filters.ts'
import { emitHandlers } from './handlers.ts'
import { emitInt64 } from './int64/places.ts'
import { emitJoinedClient, joinedClientFile } from './client/joined-client.ts'
import { emitPermissionBits, permissionBits, permissionBitsFile } from './permission-bits.ts'
import { emitPermissions } from './permissions.ts'
import { emitRoutes } from './routes.ts'
import { emitServers } from './client/servers.ts'
import { emitTypes } from './types.ts'
import { emitValidators } from './validators.ts'
import type { Outline } from '../document-outline.ts'

/** The emitters of a document's files. An emitter returns undefined if the document does not need the file. */
const artefacts: readonly { readonly file: string; readonly emit: (emission: Emission) => OutputFile | undefined }[] = [
  { file: 'types.ts', emit: emitTypes },
  { file: 'validators.ts', emit: emitValidators },
  { file: 'int64.ts', emit: emitInt64 },
  { file: 'handlers.ts', emit: emitHandlers },
  { file: 'routes.ts', emit: emitRoutes },
  { file: 'errors.ts', emit: emitErrors },
  { file: 'client.ts', emit: emitClient },
  { file: 'servers.ts', emit: emitServers },
  { file: 'filters.ts', emit: emitFilters },
  { file: 'permissions.ts', emit: emitPermissions },
  { file: 'area.ts', emit: emitArea },
]

/**
 * Returns the ids of the given schemas and of all schemas that they contain, including the schemas in answers of other
 * documents.
 */
export type Answered = (ids: readonly string[]) => ReadonlySet<string>

/**
 * Emits the documents of a model. Returns the text of each file in prettier's format, keyed by the path below the
 * output root.
 */
export function emit(model: Model, options: EmitOptions, answered: Answered): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const all = emissions(model, options)
  // A server reads back only the records of its operations.
  const records = all.flatMap(emission => recordsOf(emission)?.schema.id ?? [])
  const checked = options.answerChecks === 'records' ? { checkedAnswers: answered(records) } : {}
  for (const each of all) {
    const emission = { ...each, ...checked }
    const folder = options.flat ? '' : `${emission.document.name}/`
    for (const artefact of artefacts) {
      const file = artefact.emit(emission)
      if (file && !file.isEmpty) files.set(folder + artefact.file, file.toString())
    }
  }
  return files
}

/**
 * Emits the files that join all documents of a run, as far as the options request them: the permission bits and the
 * joined client. Returns the text of each file, keyed by its path in the output root.
 */
export function emitJoined(outlines: readonly Outline[], options: EmitOptions): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  if (options.permissionBits !== undefined) {
    const bits = permissionBits(outlines, options.permissionBits)
    files.set(permissionBitsFile, emitPermissionBits(bits, outlines.length, options))
  }
  if (options.client !== undefined) files.set(joinedClientFile, emitJoinedClient(outlines, options.client, options))
  return files
}
