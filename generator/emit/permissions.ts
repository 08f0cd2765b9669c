import type { Permission } from '../model/types.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { inSentence } from './layout/comment.ts'
import { quote, texts } from './layout/typescript.ts'
import { render } from './templates/render.ts'
import type { PermissionRow } from './views/permissions.ts'

/**
 * Emits permissions.ts: the document's part of the permission catalogue. Returns undefined for a document without
 * permissions.
 */
export function emitPermissions(emission: Emission): OutputFile | undefined {
  const { name, permissions, title } = emission.document
  if (permissions.length === 0) return undefined
  const file = openFile(emission, 'permissions')
  const view = {
    title: inSentence(title),
    name: `${name}Permissions`,
    type: `${pascal(name)}Permission`,
    permissions: permissions.map(rowOf),
  }
  file.write(render('permissions', view, emission.options.templates))
  return file
}

function rowOf({ key, class: of, scopeTypes, displayName, description, stage, operations }: Permission): PermissionRow {
  return {
    key: quote(key),
    displayName: quote(displayName ?? ''),
    description: description === undefined ? '' : quote(description),
    class: quote(of),
    scopeTypes: texts(scopeTypes),
    stage: stage === 'GA' ? '' : quote(stage),
    operations: texts(operations),
  }
}
