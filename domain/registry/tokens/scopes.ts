/** The actions of tokens on a repository. */
export const tokenActions = ['pull', 'push', 'delete'] as const

/** An action of tokens on a repository. */
export type TokenAction = (typeof tokenActions)[number]

/** The actions on a resource that a client asks for, or that a token grants. */
export interface Access {
  /** `repository`, or another word, to which nothing is granted. */
  readonly type: string
  readonly name: string
  readonly actions: readonly string[]
}

/** The largest number of scopes of one request: a mount across repositories needs two. */
export const maxScopes = 32

/**
 * Parses the scopes of a request for a token: `<type>:<name>:<actions>`, where the name may contain colons, with several
 * scopes in a text separated by blanks. Malformed scopes are left out, since a token never answers an error for less.
 */
export function parseScopes(texts: readonly string[]): readonly Access[] {
  const scopes = texts.flatMap(text => text.split(' ')).filter(text => text !== '')
  const merged = new Map<string, Access>()
  for (const { actions, name, type } of scopes.slice(0, maxScopes).flatMap(parseScope)) {
    const key = `${type}:${name}`
    const before = merged.get(key)?.actions ?? []
    merged.set(key, { type, name, actions: [...new Set([...before, ...actions])] })
  }
  return [...merged.values()]
}

function parseScope(text: string): readonly Access[] {
  const [first, last] = [text.indexOf(':'), text.lastIndexOf(':')]
  if (first <= 0 || last === first) return []
  // A class such as `repository(plugin)` changes nothing.
  const type = text.slice(0, first).replace(/\([^()]*\)$/, '')
  const actions = text.slice(last + 1).split(',')
  return [{ type, name: text.slice(first + 1, last), actions: actions.filter(action => action !== '') }]
}

/** Returns the scope of actions on a repository, for a challenge; to push needs the right to pull too. */
export const scopeOf = (name: string, action: TokenAction): string =>
  `repository:${name}:${action === 'push' ? 'pull,push' : action}`
