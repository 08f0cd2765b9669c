import type { Permission } from '../model/types.ts'
import { type Emission, openFile } from './emission.ts'
import { pascal } from './names.ts'
import type { OutputFile } from './file.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { type Doc, hang, print } from './layout/doc.ts'
import { array, object, quote } from './layout/typescript.ts'
import { render } from './templates.ts'

/** permissions.ts: the document's part of the permission catalogue. */
export function emitPermissions(emission: Emission): OutputFile | undefined {
  const { name, permissions, title } = emission.document
  if (permissions.length === 0) return undefined
  const file = openFile(emission, 'permissions')
  const view = {
    comment: docComment(
      `The permission keys of ${inSentence(title)}, ordered by key, with the operations that carry each.`,
    ),
    name: `${name}Permissions`,
    type: `${pascal(name)}Permission`,
    permissions: permissions.map(permission => print([permissionOf(permission), ','], 2)),
  }
  file.write(render('permissions', view))
  return file
}

function permissionOf({ key, class: of, scopeTypes, displayName, description, stage, operations }: Permission): Doc {
  const rows: Doc[] = [`key: ${quote(key)}`, ['displayName:', hang(quote(displayName ?? ''))]]
  if (description !== undefined) rows.push(['description:', hang(quote(description))])
  rows.push(['access: ', object([`class: ${quote(of)}`, ['scopeTypes: ', array(scopeTypes.map(quote))]])])
  if (stage !== 'GA') rows.push(`stage: ${quote(stage)}`)
  rows.push(['operations: ', array(operations.map(quote))])
  return object(rows)
}
