import { toCookie, toDeep, toPath, toQuery, toSimpleHeader, toStyled } from '../../runtime/parameters/write.ts'
import type { Written } from '../../runtime/parameters/write.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'

const writers = { path: toPath, query: toQuery, header: toSimpleHeader, cookie: toCookie } as const

/**
 * Returns the text that a client sends for a parameter, in the way of generated routes; null if the client sends
 * nothing.
 */
export function written(parameter: Parameter, value: unknown): string | null {
  const { in: place, name, type } = parameter
  const sent: Written = { path: new Map(), query: '', headers: new Headers(), body: null, signal: AbortSignal.any([]) }
  const isStyled = place !== 'header' && (typeof type === 'object' || type === 'json')
  const write = parameter.style === 'deepObject' ? toDeep : isStyled ? toStyled : writers[place]
  write(parameter, value, sent)
  if (place === 'path') return sent.path.get(name) ?? null
  return place === 'query' ? sent.query.slice(1) : sent.headers.get(place === 'cookie' ? 'cookie' : name)
}
