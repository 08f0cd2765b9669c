import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { hostContract } from './contract.ts'

hostContract('fetch', async dispatch => {
  const handle = fetchHost(dispatch)
  return {
    send: (method, target, init) =>
      handle(new Request(`http://localhost:1${target}`, { ...init, method }), { clientAddress: '127.0.0.1' }),
    [Symbol.asyncDispose]: async () => undefined,
  }
})
