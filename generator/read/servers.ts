import { member, members, elements, text, texts } from './located.ts'
import type { FoundOperation } from './operations.ts'
import type { Located } from './types.ts'

/** A server of a document as it can be called. */
export interface Server {
  /** The URL with the default of each variable: absolute with `http` or `https`, or relative. */
  readonly url: string
  /** The literal texts and the variables of the template, alternating, a literal text first. */
  readonly parts: readonly [string, ...(string | ServerVariable)[]]
}

/** A variable of the URL of a server. */
export interface ServerVariable {
  readonly name: string
  readonly default: string
  /** The values of `enum`; empty if the variable can have any value. */
  readonly values: readonly string[]
}

/**
 * Returns the server of the operation itself, or of its path item; undefined if the operation has the servers of its
 * document. Of several servers the first is meant, as clients call only one.
 */
export const serverBelow = ({ item, at }: FoundOperation): Located | undefined =>
  [...item, at].map(firstServer).findLast(Boolean)

/** Returns the first of the `servers` of an object. */
export const firstServer = (owner: Located): Located | undefined => elements(member(owner, 'servers'))[0]

/**
 * Reads a server. Returns the fault as text if clients cannot call the server: a part of the template has no value, or
 * the URL is of another scheme than `http` and `https`, or has credentials, a query or a fragment.
 */
export function readServer(at: Located): Server | string {
  const template = text(at, 'url')
  if (template === undefined) return 'it has no "url"'
  const pieces = template.split(/\{([^{}]*)\}/)
  const declared = new Map(members(member(at, 'variables')))
  const [first = '', ...rest] = pieces
  const parts: [string, ...(string | ServerVariable)[]] = [first]
  for (const [index, piece] of rest.entries()) {
    const variable = index % 2 === 0 ? variableOf(piece, declared.get(piece)) : piece
    if (variable === undefined) return `its variable "${piece}" has no default`
    parts.push(variable)
  }
  const url = parts.map(part => (typeof part === 'string' ? part : part.default)).join('')
  return faultOf(url) ?? { url, parts }
}

function variableOf(name: string, at: Located | undefined): ServerVariable | undefined {
  const standard = text(at, 'default')
  return standard === undefined ? undefined : { name, default: standard, values: texts(at, 'enum') }
}

function faultOf(url: string): string | undefined {
  if (/[{}\s\\]/.test(url) || !URL.canParse(url, 'http://base.invalid')) return 'it is no URL'
  const { hash, password, protocol, search, username } = new URL(url, 'http://base.invalid')
  if (protocol !== 'http:' && protocol !== 'https:') return `it has the scheme "${protocol.slice(0, -1)}"`
  if (username !== '' || password !== '') return 'it has credentials'
  return search !== '' || hash !== '' ? 'it has a query or a fragment' : undefined
}
