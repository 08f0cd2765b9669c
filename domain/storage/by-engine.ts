/** The engine whose content this platform keeps itself. */
export const nativeEngine = 'native'

type Handler = (request: { readonly engine: string }, context: unknown) => Promise<unknown>

/**
 * Returns handlers that pass each call to the handlers of its engine: `native` for the native engine, and `remote` for
 * the engines of S3 stores.
 */
export function byEngine<Handlers extends object>(native: Handlers, remote: NoInfer<Handlers>): Handlers {
  const chosen = Object.keys(native).map(name => [name, choose(handlerOf(native, name), handlerOf(remote, name))])
  // Each member has the type of the two members from which it chooses.
  return Object.fromEntries(chosen) as Handlers
}

const handlerOf = (handlers: object, name: string): Handler => Reflect.get(handlers, name)

const choose =
  (native: Handler, remote: Handler): Handler =>
  (request, context) =>
    request.engine === nativeEngine ? native(request, context) : remote(request, context)
