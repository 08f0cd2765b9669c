import type { OperationAccess, Permission } from '../../generator/model/types.ts'
import { code, table } from './markdown.ts'

/** The place where a permission is checked, keyed by the `scope` of `x-access` (conventions §22). */
const scopes: ReadonlyMap<string | undefined, string> = new Map([
  ['platform', 'at the platform'],
  ['path', 'at the innermost workspace, group or organisation of the path'],
  ['row', 'at the scope of what the path names'],
  ['parent', 'at the parent of what the path names'],
  ['body', 'at the scope that the request names'],
  ['filtered', 'at the scope of each row: others are left out'],
])

/** Returns a description of the access to an operation, in Markdown. */
export function accessText(access: OperationAccess | undefined): string {
  switch (access?.kind) {
    case undefined:
      return ''
    case 'public':
      return `**Access:** public, without a token.${access.bearerOptional ? ' A token is verified if the request has one.' : ''}`
    case 'own':
      return '**Access:** every principal, for what is its own.'
    case 'authenticated':
      return '**Access:** every principal.'
    case 'permission': {
      const needed = `**Access:** the permission ${code(access.key ?? '')} (${access.class ?? ''}) ${scopes.get(access.scope) ?? ''}.`
      const own = access.own ? ' What the caller owns needs none.' : ''
      return needed + own + (access.bearerOptional ? ' A token is not needed where the request proves as much.' : '')
    }
  }
}

/** Returns the table of an area's permissions, in Markdown. */
export function permissionTable(permissions: readonly Permission[]): string {
  const rows = permissions.map(({ key, class: kind, scopeTypes, description = '', operations }) => [
    code(key),
    kind,
    scopeTypes.join(', '),
    [description, operations.map(code).join(', ')].join(' '),
  ])
  return table(['Permission', 'Class', 'Held at', 'Operations and uses'], rows)
}
