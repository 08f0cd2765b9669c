import { readFileSync } from 'node:fs'
import type { Method } from '../../runtime/route.ts'

/** A method and a path template, in the notation of a document. */
export interface Operation {
  readonly method: Method
  readonly template: string
}

const methods: Readonly<Record<string, Method>> = {
  GET: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  PATCH: 'PATCH',
  DELETE: 'DELETE',
}

/** The operations of the nine areas. */
export const platformOperations: readonly Operation[] = readFileSync(
  new URL('../tables/operations.tsv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(1)
  .map(row => {
    const [, method = '', template = ''] = row.split('\t')
    return { method: methods[method] ?? 'GET', template }
  })

/** The shapes of routes in other people's documents: nested collections, verbs, and literals next to parameters. */
const shapes: readonly (readonly [method: Method, of: (thing: string, inner: string) => string])[] = [
  ['GET', thing => `/${thing}`],
  ['POST', thing => `/${thing}`],
  ['GET', thing => `/${thing}/latest`],
  ['GET', thing => `/${thing}/{${thing}_id}`],
  ['DELETE', thing => `/${thing}/{${thing}_id}`],
  ['POST', thing => `/${thing}/{${thing}_id}:start`],
  ['POST', thing => `/${thing}/{${thing}_id}:restart`],
  ['GET', (thing, inner) => `/${thing}/{${thing}_id}/${inner}`],
  ['GET', (thing, inner) => `/${thing}/{${thing}_id}/${inner}/{id}`],
  ['PUT', (thing, inner) => `/${thing}/{${thing}_id}/${inner}/{id}/settings`],
  ['GET', (thing, inner) => `/${thing}/latest/${inner}/{id}`],
  ['GET', thing => `/${thing}/{${thing}_id}/{part}`],
  ['GET', thing => `/{tenant}/${thing}-archive/{id}`],
  ['GET', thing => `/{tenant}/${thing}-archive/all`],
  ['PATCH', thing => `/internal/${thing}/v{version}`],
  ['GET', thing => `/internal/${thing}/{name}`],
]

const nouns = [
  'repos',
  'orgs',
  'teams',
  'gists',
  'users',
  'user',
  'issues',
  'items',
  'runs',
  'run-logs',
  'hooks',
  'keys',
]
const adjectives = ['', 'open-', 'old']

/** 400 operations that no area has. */
export const foreignOperations: readonly Operation[] = adjectives
  .flatMap(adjective => nouns.map(noun => adjective + noun))
  .flatMap((thing, index) =>
    shapes.map(([method, of]) => ({ method, template: of(thing, nouns[(index * 5 + 1) % nouns.length] ?? '') })),
  )
  .slice(0, 400)

/** Returns the parts of a path in the form of a `Route`: literal text and parameter names alternate. */
export const partsOf = (template: string): readonly string[] => template.split(/[{}]/)

/** Returns the names of a template's parameters, in order. */
export const namesOf = (template: string): readonly string[] => partsOf(template).filter((_, index) => index % 2 === 1)

/** Returns a path with percent-encoded values in place of the parameters. */
export function fill(template: string, values: readonly string[]): string {
  return partsOf(template)
    .map((part, index) => (index % 2 === 1 ? encodeURIComponent(values[(index - 1) / 2] ?? 'x') : part))
    .join('')
}
