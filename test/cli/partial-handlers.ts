import { unimplemented } from '../../runtime/errors.ts'
import type { BoundRoute } from '../../runtime/route.ts'

/** Handlers, keyed by resource and operation, for the generated function that binds an area's routes. */
export type Handlers<Routes extends (handlers: never) => readonly BoundRoute[]> = {
  readonly [Name in keyof Parameters<Routes>[0]]?: Readonly<
    Record<string, (request: never, context: never) => Promise<unknown>>
  >
}

/** Returns the handlers with every missing operation added; an added operation throws UNIMPLEMENTED. */
export function partial<Whole extends object>(handlers: object): Whole {
  return new Proxy({} as Whole, {
    get: (_, resource) =>
      new Proxy(Object(Reflect.get(handlers, resource) ?? {}), {
        get: (operations, name) =>
          Reflect.get(operations, name) ??
          (async () => {
            throw unimplemented(String(name))
          }),
      }),
  })
}
