import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dispatcher } from '../../../runtime/call.ts'
import type { ErrorDomain } from '../../../runtime/errors.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import type { BoundRoute } from '../../../runtime/route.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { GenerateOptions } from '../../../generator/options.ts'
import { type Generation, generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'

/** A generated client and a generated server of one document, connected in this process. */
export interface Wire {
  /**
   * Calls an operation by its name through the client; returns the request that the handler received, whatever became of
   * its answer.
   */
  readonly call: (operation: string, request: object) => Promise<unknown>
  /** Calls an operation through the client; its handler returns `answer`. Returns the result of the client. */
  readonly answered: (operation: string, request: object, answer: unknown) => Promise<unknown>
  /** Calls an operation through the client, to which `response` answers in place of the server. */
  readonly replied: (operation: string, request: object, response: Response) => Promise<unknown>
  /** The URLs, headers and bodies that the client has sent. */
  readonly sent: readonly { readonly url: string; readonly headers: Headers; readonly body: BodyInit | null }[]
  /** The requests that handlers received and that no `call` has returned yet, in order. */
  readonly given: readonly unknown[]
  /** The names of the handlers that were called, in order. */
  readonly reached: readonly string[]
  /** Answers a request of any client, by the generated server. */
  readonly host: (request: Request) => Promise<Response>
  readonly folder: string
  /** The name of the folder of the document's output. */
  readonly document: string
}

/** Connects client and server of a document that is given as an object, as `connected` does. */
export async function connectedDocument(document: object, options: Partial<GenerateOptions> = {}): Promise<Wire> {
  const folder = newFolder()
  writeFiles(folder, new Map([['made.json', JSON.stringify(document)]]))
  try {
    return await connected('made.json', folder, options)
  } finally {
    removeFolder(folder)
  }
}

/** Returns a document with paths and schemas, in the form of OpenAPI 3.0. */
export const documentOf = (paths: object, schemas: object = {}): object => ({
  openapi: '3.0.3',
  info: { title: 'made', version: '1' },
  paths,
  components: { schemas },
})

/**
 * Generates a document into a new folder and connects its client with its server, whose handlers answer an empty object. The
 * caller deletes the folder.
 */
export async function connected(file: string, cwd: string, options: Partial<GenerateOptions> = {}): Promise<Wire> {
  const folder = newFolder()
  const made = await generation([file], cwd, { ...runtimeFrom(folder), ...options })
  if (made.files.size === 0) throw new Error(`${file} does not generate: ${made.printed.join('; ')}`)
  writeFiles(folder, made.files)
  return connectedGeneration(made, folder)
}

/** Connects the client and the server of a document whose files have been written to a folder. */
export async function connectedGeneration({ model }: Generation, folder: string): Promise<Wire> {
  const [document] = model?.documents ?? []
  if (!document) throw new Error('there is no document')
  const module = async (part: string): Promise<Record<string, unknown>> =>
    await import(pathToFileURL(join(folder, document.name, `${part}.ts`)).href)
  const received: unknown[] = []
  let [answer, response]: [unknown, Response | undefined] = [{ status: 200, body: {} }, undefined]
  const sent: { readonly url: string; readonly headers: Headers; readonly body: BodyInit | null }[] = []
  const reached: string[] = []
  const [routes, errors] = [await module('routes'), await module('errors')]
  const handlers = new Proxy(
    {},
    {
      get: () =>
        new Proxy(
          {},
          {
            get: (_, name) => (request: unknown) => {
              reached.push(String(name))
              received.push(request)
              return answer
            },
          },
        ),
    },
  )
  const bound: unknown = callable(routes[`${document.name}Routes`])(handlers)
  const dispatch = dispatcher({
    routes: bound as readonly BoundRoute[],
    domains: { outside: errors[document.name] as ErrorDomain },
    doors: { authenticate: async () => undefined, authorize: async () => undefined },
    clock: { now: () => Date.now(), newId: () => randomUUID() },
    log: () => {},
  })
  const host = fetchHost(dispatch)
  const transport = createTransport({
    baseUrl: 'http://service.test',
    fetch: async (url, init) => {
      sent.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body ?? null })
      return response ?? (await host(new Request(url, init)))
    },
  })
  const client = await module('client')
  const [Client] = Object.values(client)
  const made: Record<string, unknown> = Reflect.construct(callable(Client), [transport])
  const call = async (operation: string, request: object): Promise<unknown> =>
    await callable(made[operation]).call(made, request)
  return {
    sent,
    given: received,
    reached,
    host,
    folder,
    document: document.name,
    call: async (operation, request) => {
      const before = received.length
      const [result] = await Promise.allSettled([call(operation, request)])
      if (result.status === 'rejected' && received.length === before) throw result.reason
      return received.pop()
    },
    answered: async (operation, request, given) => {
      answer = given
      return await call(operation, request)
    },
    replied: async (operation, request, given) => {
      response = given
      try {
        return await call(operation, request)
      } finally {
        response = undefined
      }
    },
  }
}

function callable(value: unknown): (...given: unknown[]) => unknown {
  if (typeof value !== 'function') throw new Error('the module has no such function')
  return value as (...given: unknown[]) => unknown
}
