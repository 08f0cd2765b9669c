/** Resolves after the sockets and timers that are due, so that long work does not hold the event loop. */
export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
