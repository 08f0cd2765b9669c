import { expect, it } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { serve } from '../../../areas/kill/kill-under-load.ts'
import { openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { addLoadPlace, leadVms, verbsOfLife } from './vm-lives.ts'
import { vmRemains } from './vm-remains.ts'

const clients = 4
const machinesOfOne = 10

it(
  'concurrent clients lead machines from creation to deletion: no operation is lost, and nothing is left',
  {
    timeout: 180_000,
  },
  async () => {
    const place = await testStorePlace()
    const { servers } = await serve(place, 1, { settings: { NINEFOLD_COMPUTE_SIM_TIME_SCALE: '0' } })
    const [server] = servers
    if (!server) throw new Error('no server was started')
    const { token } = await server.admin()
    // A busy server refuses calls for a moment, and this client repeats refused calls.
    const api = new Ninefold(createTransport({ baseUrl: server.url, token }))
    const at = await addLoadPlace(api)
    const ended = await Promise.all(
      Array.from({ length: clients }, (_, i) =>
        leadVms(api.compute, { place: at, name: `vm-${i}`, count: machinesOfOne, verbs: verbsOfLife }),
      ),
    )
    const counts: Record<string, number> = {}
    for (const { errors, operation_type, status } of ended.flat()) {
      expect({ errors, status }).toEqual({ errors: [], status: 'COMPUTE_OPERATION_STATUS_DONE' })
      const verb = operation_type.replace(/^.*_/, '')
      counts[verb] = (counts[verb] ?? 0) + 1
    }
    const each = clients * machinesOfOne
    expect(counts).toEqual({ CREATE: each, START: each, STOP: each, DELETE: each })
    const ids = new Set(ended.flat().map(({ id }) => id))
    let kept = 0
    for await (const { id } of api.compute.iterateOperations({ page_size: 100 })) if (ids.has(id)) kept += 1
    expect(kept).toBe(4 * each)
    const store = await openBeside(place, storeCollections(areas))
    expect(await vmRemains(store)).toEqual([])
    await store.close()
    expect(await doctorFindings(place)).toEqual([])
  },
)
