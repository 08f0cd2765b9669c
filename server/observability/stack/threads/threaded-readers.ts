import type { StackReaders } from '../open-readers.ts'
import { threadedFunctions, type ThreadedMember } from './stack-messages.ts'
import type { StackThreads } from './stack-threads.ts'

/** Returns readers whose answers are read in threads; `readers` do the rest, such as to check queries. */
export function threadedReaders(engine: string, readers: StackReaders, threads: StackThreads): StackReaders {
  const threaded: { [Member in ThreadedMember]?: object } = {}
  for (const member of Object.keys(threadedFunctions) as ThreadedMember[]) {
    const own = readers[member]
    if (own !== undefined) threaded[member] = threadedMember(engine, member, own, threads)
  }
  // Each member has the functions of its type.
  return threaded as StackReaders
}

function threadedMember(engine: string, member: ThreadedMember, own: object, threads: StackThreads): object {
  const functions: readonly string[] = threadedFunctions[member]
  const calls = new Map(
    functions.map(name => [
      name,
      (...given: unknown[]) => threads.call({ engine, member, name, given: given.slice(0, -1) }, signalIn(given)),
    ]),
  )
  return new Proxy(own, {
    get(target, name) {
      const call = typeof name === 'string' ? calls.get(name) : undefined
      const value: unknown = call ?? Reflect.get(target, name)
      return typeof value === 'function' && call === undefined ? value.bind(target) : value
    },
  })
}

/** Returns the signal of a call, its last argument. */
function signalIn(given: readonly unknown[]): AbortSignal {
  const signal = given.at(-1)
  if (signal instanceof AbortSignal) return signal
  throw new TypeError('a function of a stack takes a signal at last')
}
