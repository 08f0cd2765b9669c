import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { hostContract, type Hosted } from './contract.ts'
import { etagContract } from './etags.ts'

const host = async (dispatch: Dispatch): Promise<Hosted> => {
  const handle = fetchHost(dispatch)
  return {
    send: (method, target, init) =>
      handle(new Request(`http://localhost:1${target}`, { ...init, method }), { clientAddress: '127.0.0.1' }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

hostContract('fetch', host)

etagContract('fetch', host)
