import { Meters } from '../../../server/meters/meters.ts'
import { closeApp, createApp, mount } from '../../../server/http/app.ts'
import { defaultHttpLimits } from '../../../server/http/limits.ts'
import { Turns } from '../../../server/http/turns.ts'
import { hostContract } from '../../runtime/hosts/contract.ts'
import { socketContract } from '../../runtime/hosts/sockets.ts'
import type { Listen } from '../../runtime/hosts/sockets.ts'
import { transferContract } from '../../runtime/hosts/transfers.ts'

const outside = { name: 'ninefold', base: 0 }

const listen: Listen = async (dispatch, patienceMs) => {
  const times = patienceMs === undefined ? {} : { headersMs: patienceMs, requestMs: patienceMs }
  const limits = { ...defaultHttpLimits, ...times }
  const made = createApp({ outside, limits, meters: new Meters(), turns: new Turns() })
  mount(made, dispatch)
  const { port } = new URL(await made.app.listen({ host: '127.0.0.1', port: 0 }))
  return { port: Number(port), [Symbol.asyncDispose]: () => closeApp(made, 0) }
}

hostContract('the Fastify mount', async dispatch => {
  const { port, ...served } = await listen(dispatch)
  return {
    send: (method, target, init) => fetch(`http://127.0.0.1:${port}${target}`, { ...init, method }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
})

socketContract('the Fastify mount', listen)

transferContract('the Fastify mount', listen)
